// The charts of outcomes and latency, drawn by uPlot from /outcomes/data.
'use strict';
(() => {
  const EVERY_MS = 5000;
  const HEIGHT = 240;
  const palette = {
    light: {answered: '#2f8a55', merged: '#5aa0c4', filtered: '#b9c0c6', shed: '#d79a35', expired: '#b86f12', silent: '#8d98a1', handed_over: '#8a70c9', suppressed: '#d4675c', retracted: '#d3d8dc', failed: '#a32a20', line: '#1f6284', second: '#825200', limit: '#a32a20', axis: '#59646d', grid: '#e4e8eb'},
    dark: {answered: '#4fae78', merged: '#5b9fc0', filtered: '#5c666e', shed: '#d2a04e', expired: '#b37b2c', silent: '#7c8790', handed_over: '#9a83d6', suppressed: '#d9776d', retracted: '#434c53', failed: '#f0978d', line: '#7fc0e0', second: '#e6ba6b', limit: '#f0978d', axis: '#98a4ad', grid: '#2a3238'},
  };
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const colours = () => (dark.matches ? palette.dark : palette.light);

  let charts = [];
  let root = null;
  let timer = null;
  let last = null;

  const DAY_S = 86400;

  // clock is the time of day, with the day where more than one is shown.
  const two = (n) => String(n).padStart(2, '0');
  const clock = (s) => {
    const d = new Date(s * 1000);
    const day = last && last.start.at(-1) - last.start[0] >= DAY_S ? two(d.getUTCMonth() + 1) + '-' + two(d.getUTCDate()) + ' ' : '';
    return day + two(d.getUTCHours()) + ':' + two(d.getUTCMinutes());
  };

  const axes = (c, unit) => [
    {stroke: c.axis, grid: {stroke: c.grid, width: 1}, ticks: {stroke: c.grid}, values: (_, at) => at.map(clock), space: 90},
    {stroke: c.axis, grid: {stroke: c.grid, width: 1}, ticks: {stroke: c.grid}, values: (_, at) => at.map((v) => v + unit), size: 56},
  ];
  const width = (el) => Math.max(el.clientWidth - 18, 240);
  const x = {label: 'minute', value: (_, v) => (v == null ? '' : clock(v) + ' UTC')};

  // padded is the range of time shown: half a minute before the first bar and
  // after the last, so that bars are whole.
  const padded = (_, min, max) => [min - 60, max + 60];

  const drawEnded = (el, data) => {
    const c = colours();
    const shown = data.states.map((s, i) => ({...s, n: data.ended[i]})).filter((s) => s.n.some((v) => v > 0));
    // Bars are drawn from the highest sum down, each over the one before.
    let sum = data.start.map(() => 0);
    const stacked = shown.map((s) => (sum = sum.map((v, i) => v + s.n[i])));
    const series = shown.map((s, i) => ({
      label: s.label, stroke: c[s.key], fill: c[s.key], width: 0, points: {show: false},
      paths: uPlot.paths.bars({size: [0.8, 40], gap: 0}), value: (_, __, ___, at) => (at == null ? '' : shown[i].n[at]),
    }));
    return new uPlot({
      width: width(el), height: HEIGHT, scales: {x: {range: padded}, y: {range: (_, __, max) => [0, Math.max(max, 1) * 1.05]}},
      axes: axes(c, ''), series: [x, ...series.reverse()], legend: {markers: {width: 0}},
    }, [data.start, ...stacked.reverse()], el);
  };

  const drawLatency = (el, data) => {
    const c = colours();
    const seconds = (_, v) => (v == null ? '' : v > data.limit_s ? '> ' + data.limit_s + ' s' : v.toFixed(1) + ' s');
    const points = {show: true, size: 5};
    return new uPlot({
      width: width(el), height: HEIGHT, scales: {x: {range: padded}, y: {range: (_, __, max) => [0, Math.max(max, data.limit_s) * 1.2]}},
      axes: axes(c, ' s'),
      series: [x,
        {label: 'P50', stroke: c.line, width: 2, points, value: seconds},
        {label: 'P95', stroke: c.second, width: 2, points, value: seconds},
        {label: 'limit', stroke: c.limit, width: 1.5, dash: [6, 4], points: {show: false}, value: (_, v) => (v == null ? '' : v + ' s')},
      ],
    }, [data.start, data.p50, data.p95, data.start.map(() => data.limit_s)], el);
  };

  const draw = () => {
    charts.forEach((chart) => chart.destroy());
    charts = [];
    if (!last || !last.start.length) return;
    charts = [drawEnded(document.getElementById('chart-ended'), last), drawLatency(document.getElementById('chart-latency'), last)];
  };

  const load = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(root.dataset.src);
      if (!answer.ok) return;
      const data = await answer.json();
      root.hidden = Boolean(data.away) || !data.start.length;
      if (JSON.stringify(data) === JSON.stringify(last)) return;
      last = data;
      draw();
    } catch {
      // The server is away; what is drawn stays, the next look may succeed.
    }
  };

  const look = () => {
    const now = document.getElementById('charts');
    if (now === root) return;
    root = now;
    clearInterval(timer);
    last = null;
    charts = [];
    if (!root) return;
    load();
    timer = setInterval(load, EVERY_MS);
  };

  document.addEventListener('DOMContentLoaded', look);
  document.addEventListener('htmx:after:swap', look);
  document.addEventListener('htmx:after:settle', look);
  dark.addEventListener('change', draw);
  let resized = null;
  window.addEventListener('resize', () => {
    clearTimeout(resized);
    resized = setTimeout(draw, 150);
  });
})();
