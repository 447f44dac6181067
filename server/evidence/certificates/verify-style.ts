import { houseStyle } from '#server/platform/http/pages/house-style.ts'

const used = [
  'page',
  'card',
  'line',
  'ink',
  'text',
  'soft',
  'accent',
  'tint',
  'good',
  'good-tint',
  'bad',
  'bad-tint',
  'warn',
  'warn-tint',
  's-watched',
  's-missing',
] as const

/** This is the look of the page that verifies certificates. */
export const verifyStyle = `
${houseStyle(used)}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;gap:1.5rem;padding:2.5rem 1rem 1.5rem;background:var(--page);color:var(--text);font:.9375rem/1.5 system-ui,sans-serif}
header,main{width:100%;max-width:44rem;margin:0 auto}
header{display:flex;align-items:center;gap:3px;font-weight:600}
nav{margin-inline-start:auto;font-size:.875rem;font-weight:400}
nav a{display:inline-block;min-height:1.5rem}
main{flex:1;display:grid;align-content:start;gap:1.25rem}
h1,h2,header{color:var(--ink)}
header>svg,.name svg{display:block;height:2rem}
.mark{fill:none;stroke:var(--accent)}
.mark rect{fill:var(--accent);stroke:none}
.mark rect+path{fill:var(--card);stroke:none}
.mark path:nth-of-type(2){stroke-width:4}
.mark path:last-child{stroke-width:1.3;stroke-linecap:round}
h1,h2,p,dl,dd,ul{margin:0}
h1{font-size:1.5rem;line-height:1.3;text-wrap:balance}
h2{font-size:1rem}
article h2{font-size:1.0625rem;overflow-wrap:anywhere}
p,dd,li,summary{overflow-wrap:anywhere}
a{color:var(--accent)}
code,pre{font:.8125rem/1.6 ui-monospace,monospace;overflow-wrap:anywhere}
pre{margin:0;padding:.75rem;overflow-x:auto;background:var(--page);border:1px solid var(--line);border-radius:var(--corner)}
.lead,footer,dt{color:var(--soft)}
.drop{display:grid;justify-items:center;gap:.25rem;padding:2rem 1rem;text-align:center;background:var(--card);border:2px dashed var(--line);border-radius:var(--corner-card);cursor:pointer}
.drop[hidden]{display:none}
.drop:hover,.drop[data-over]{border-color:var(--accent);background:var(--tint)}
.drop:focus-within{outline:3px solid var(--accent);outline-offset:2px}
.drop svg{fill:none;stroke:var(--accent);stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.drop strong{color:var(--accent)}
.drop span{color:var(--soft)}
.drop input{position:absolute;width:1px;height:1px;opacity:0}
#results{display:grid;gap:1rem}
#results:empty{display:none}
section,article,.note{display:grid;grid-template-columns:minmax(0,1fr);gap:.75rem;padding:1.25rem;background:var(--card);border:1px solid var(--line);border-radius:var(--corner-card)}
article{--tone:var(--warn);--ground:var(--warn-tint);padding:0;overflow:hidden}
article[data-state=genuine]{--tone:var(--good);--ground:var(--good-tint)}
article[data-state=altered]{--tone:var(--bad);--ground:var(--bad-tint)}
article>div{display:grid;grid-template-columns:minmax(0,1fr);gap:.75rem;padding:0 1.25rem 1.25rem}
.verdict{display:grid;grid-template-columns:auto minmax(0,1fr);gap:.125rem .75rem;padding:1rem 1.25rem;background:var(--ground)}
.verdict svg{grid-row:span 2;align-self:start;fill:none;stroke:var(--tone);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.verdict strong{color:var(--tone);font-size:1.0625rem}
.verdict p{grid-column:2}
dl{display:grid;gap:.5rem}
dl div{display:grid;gap:0 1rem}
ul{padding-inline-start:1.25rem}
.bar{display:block;width:100%;height:.75rem;border-radius:.25rem;background:var(--line)}
.bar rect{fill:var(--s-watched)}
.bar rect[data-state=likely]{fill:var(--warn)}
.bar rect[data-state=contradicted]{fill:var(--bad)}
.seal{display:grid;gap:.375rem 1.25rem;max-width:20.5rem;margin:0;padding:1.25rem .25rem .25rem}
.seal svg{width:100%;overflow:visible;fill:var(--s-watched)}
.thread{fill:var(--s-missing)}.gap{fill:var(--card)}
.lock{fill:none;stroke:var(--good);stroke-width:2}
.odd{fill:var(--bad);fill-opacity:.15;stroke:var(--bad);stroke-width:2}
.drawn{--from:-20px}.drawn+.written{--from:20px}
.seal[data-seal=fits],.seal[data-seal=differs]{row-gap:1.25rem}
:is([data-seal=fits],[data-seal=differs]) g{transform:translateY(calc(var(--from)/2))}
@media(prefers-reduced-motion:no-preference){.drawn,.drawn+.written{animation:slide .7s cubic-bezier(.3,0,.1,1) backwards}.lock{animation:close .2s .7s backwards}.odd{animation:flare .5s .7s 2 backwards}}
@keyframes slide{from{transform:translateY(var(--from))}}
@keyframes close{from{opacity:0}}
@keyframes flare{50%{fill-opacity:.8}}
summary{min-height:1.75rem;color:var(--accent);cursor:pointer}
details[open]{display:grid;grid-template-columns:minmax(0,1fr);gap:.75rem}
details::details-content{min-width:0}
table{width:100%;border-collapse:collapse;font-size:.8125rem}
th,td{padding:.375rem .5rem .375rem 0;text-align:start;vertical-align:top;border-block-end:1px solid var(--line)}
th{color:var(--soft);font-weight:400}
.wide{overflow-x:auto;margin-block-end:.75rem}
.wide td{min-width:4.5rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
footer{font-size:.875rem;text-align:center}
@media(min-width:36rem){dl div{grid-template-columns:10rem 1fr}.seal{grid-template:auto 1fr/20rem minmax(0,1fr);max-width:none}.seal div{grid-area:1/2/3;align-self:center}}
@media print{.drop,section,footer,nav{display:none}body{padding:0;background:none}}
`.trim()
