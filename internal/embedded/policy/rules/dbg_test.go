package rules
import ("testing";"fmt";"os";"strings")
func TestDbg(t *testing.T){
 var ex []Example
 for _,s:=range strings.Fields(os.Getenv("SKILLS")){ b,err:=os.ReadFile("../../../../harness/"+s); if err!=nil{t.Fatal(err)}
  for _,y:=range examplesIn(string(b)){ l,err:=ParseExamples(y); if err!=nil{t.Fatal(err)}; ex=append(ex,l...)} }
 tools:=map[string]*schema{}
 link:=`"link_id":{"type":"string","pattern":"^[0-9]{1,4}$"}`
 for _,e:=range ex{ if e.Call!=nil{ s,err:=parseSchema([]byte(`{"properties":{`+link+`,"height_cm":{"type":"number","minimum":40,"maximum":230},"weight_kg":{"type":"number","minimum":2,"maximum":200},"foot_mm":{"type":"number","minimum":100,"maximum":330}}}`)); if err!=nil{t.Fatal(err)}; tools[e.Call.Tool]=s} }
 c:=newCorpus(ex,tools)
 for _,x:=range strings.Split(os.Getenv("TEXTS"),"|"){
 ms:=c.lex.prepare(x,"").matches(c.phrases)
 for i,m:=range ms{ if i<6 {fmt.Printf("%s | %s | %.3f %v line %d\n",x,m.text,m.score,m.captures,c.examples[m.doc].Line)}}}
}
