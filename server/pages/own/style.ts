import { houseStyle } from '#server/platform/http/house-style.ts'

/** What this page adds to the style of the pages around a video (`server/pages/watch-page.css`), whose colors it uses. */
export const ownStyle = `
${houseStyle(['bad', 'bad-tint'])}
main{align-items:start}
.panel{align-content:start}
.panel h2{font-size:1.0625rem}
.panel ul{padding:0;list-style:none}
.panel li{padding-block:.75rem;border-top:1px solid var(--line)}
.panel li:last-child{padding-bottom:0}
.panel li div{align-items:center;justify-content:space-between}
.panel li p{margin-top:.25rem}
.panel form{display:flex;flex-wrap:wrap;align-items:end;gap:.5rem}
.panel label{display:grid;gap:.25rem}
.panel input{width:9rem;min-height:2.75rem;padding:0 .75rem;font:inherit;font-size:1.0625rem;letter-spacing:.15em;color:var(--ink);background:var(--card);border:1px solid var(--edge);border-radius:var(--corner)}
.due{margin-inline-start:0;padding:0;background:none;color:var(--soft)}
.late{padding:0 .75rem;background:var(--bad-tint);color:var(--bad)}
.told{color:var(--ink);font-weight:600}
.panel a{display:inline-grid;align-items:center;min-height:2.75rem;padding:0 1rem;color:var(--ink);border:1px solid var(--edge);border-radius:var(--corner);text-decoration:none}
.panel .go{font-weight:600;color:var(--on);background:var(--accent);border-color:var(--accent)}
.page{grid-column:1/-1}
@media(max-width:767px){.page{padding-inline:1rem}main{padding-top:1rem}}
`.replaceAll('\n', '')
