// The live page: rows arrive as HTML that the server has rendered and escaped;
// this only puts them in their places. Closing the stream pauses it: when it is
// opened again the server sends what changed since.
'use strict';
(() => {
  let source = null;
  let root = null;

  const parse = (html) => {
    const t = document.createElement('template');
    t.innerHTML = html;
    return t.content.firstElementChild;
  };

  const say = (text, good) => {
    const el = document.getElementById('stream-state');
    if (!el || el.textContent === text) return;
    el.textContent = text;
    el.classList.toggle('good', good);
    el.classList.toggle('warn', !good);
  };

  // place puts a row where its time belongs, newest first.
  const place = (body, row) => {
    const at = Number(row.dataset.at);
    let next = body.firstElementChild;
    while (next && Number(next.dataset.at) > at) next = next.nextElementSibling;
    body.insertBefore(row, next);
  };

  const swap = (old, fresh) => {
    const focused = old.contains(document.activeElement)
      ? [...old.querySelectorAll('a, button')].indexOf(document.activeElement) : -1;
    old.replaceWith(fresh);
    if (focused >= 0) [...fresh.querySelectorAll('a, button')][focused]?.focus({preventScroll: true});
  };

  const apply = (message) => {
    const body = document.getElementById('rows');
    const panel = document.getElementById('panel');
    if (!body || !panel) return;
    if (message.reset) body.replaceChildren();
    const rows = new Map([...body.children].map((row) => [row.dataset.id, row]));
    for (const id of message.drop ?? []) rows.get(id)?.remove();
    for (const {id, html} of message.rows ?? []) {
      const fresh = parse(html);
      const old = rows.get(id);
      if (old && old.isConnected && old.dataset.at === fresh.dataset.at) swap(old, fresh);
      else {
        old?.remove();
        place(body, fresh);
      }
      rows.set(id, fresh);
    }
    while (body.childElementCount > message.limit) body.lastElementChild.remove();
    const text = [...body.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE);
    text.forEach((n) => n.remove()); // so that :empty holds
    const fresh = parse(message.panel);
    if (fresh.innerHTML !== panel.innerHTML) swap(panel, fresh);
  };

  const disconnect = () => {
    source?.close();
    source = null;
  };

  const connect = (stamp) => {
    disconnect();
    const url = new URL(root.dataset.stream, location.href);
    if (stamp) url.searchParams.set('since', stamp);
    source = new EventSource(url);
    source.onopen = () => say('live', true);
    source.onerror = () => {
      say('connection lost, trying again', false);
      // A refused stream is not tried again by the browser.
      if (source?.readyState === EventSource.CLOSED) {
        source = null;
        setTimeout(() => { if (!source && !paused()) connect(root.dataset.stamp); }, 3000);
      }
    };
    source.addEventListener('change', (e) => {
      root.dataset.stamp = e.lastEventId;
      apply(JSON.parse(e.data));
    });
  };

  const paused = () => document.getElementById('pause')?.getAttribute('aria-pressed') === 'true';

  const pause = (on) => {
    const button = document.getElementById('pause');
    button.setAttribute('aria-pressed', String(on));
    button.textContent = on ? 'Go on' : 'Pause';
    if (on) {
      disconnect();
      say('paused', false);
    } else connect(root.dataset.stamp);
  };

  // look connects to the stream of the live page that is shown now, if any.
  const look = () => {
    const now = document.getElementById('live');
    if (now === root) return;
    root = now;
    disconnect();
    if (!root) return;
    document.getElementById('pause').addEventListener('click', () => pause(!paused()));
    connect();
  };

  document.addEventListener('DOMContentLoaded', look);
  document.addEventListener('htmx:after:swap', look);
  document.addEventListener('htmx:after:settle', look);
  window.addEventListener('pagehide', disconnect);
  window.addEventListener('pageshow', (e) => { if (e.persisted && root && !paused()) connect(root.dataset.stamp); });
})();
