import { escapeHtml } from '#server/platform/http/pages/html.ts'
import { logoMark } from '#server/platform/http/pages/logo.ts'
import { roomsOf, slugOf, type Call } from './document.ts'
import type { Guide } from './guide.ts'

/** Addresses of what every page loads, each with the hash of its content. */
export type Files = { style: string; script: string; calls: string }

export const base = '/api/docs'

type Page = { product: string; title: string; body: string; here: string }
export type Frame = { files: Files; guide: Guide; subjects: ReadonlyMap<string, readonly Call[]> }

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 26 26'%3E%3Crect x='1' y='1' width='24' height='24' rx='7' fill='%230c7562'/%3E%3Cpath d='M10 7v12l9-6z' fill='%23fff'/%3E%3C/svg%3E"

/** The frame around each page: nothing in it is run or styled inline, and it reads well before its script is there. */
export function drawPage({ files, guide, subjects }: Frame, { product, title, body, here }: Page): string {
  const link = (address: string, text: string, more = '') =>
    `<li><a href="${address}"${address === here ? ' aria-current="page"' : ''}>${escapeHtml(text)}${more}</a></li>`
  const tasks = guide.tasks.map(({ slug, title: text }) => link(`${base}/${slug}`, text))
  const rooms = roomsOf(subjects).map(({ title: room, subjects: found }) => {
    const links = found.map(([subject, calls]) =>
      link(`${base}/${slugOf(subject)}`, subject, ` <span class="count">${calls.length}</span>`),
    )
    return `<h2>${room}</h2><ul>${links.join('')}</ul>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="description" content="How programs work with ${escapeHtml(product)}">
<title>${escapeHtml(title)} · ${escapeHtml(product)}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${files.style}">
<script type="module" src="${files.script}" data-calls="${files.calls}"></script>
</head>
<body>
<a class="skip" href="#docs-content">Skip to the content</a>
<header><a href="${base}">${logoMark()}<b>${escapeHtml(product)}</b> API</a><a class="aside" href="/api/openapi.json">OpenAPI 3.1</a></header>
<div class="frame">
<nav aria-label="Pages">
<div class="search" hidden><label for="docs-search">Search all calls</label><input id="docs-search" type="search" autocomplete="off" spellcheck="false" aria-describedby="docs-found"><p id="docs-found" role="status"></p><ul id="docs-hits" hidden></ul></div>
<details class="menu"${here === base ? ' open' : ''}><summary>Pages</summary>
<div id="docs-pages"><ul>${link(base, 'Begin')}</ul>
<h2>Tasks</h2><ul>${tasks.join('')}</ul>
<h2>Sent to you</h2><ul>${link(`${base}/events`, 'Events')}</ul>
${rooms.join('')}</div>
</details>
</nav>
<main id="docs-content" tabindex="-1">
${body}
</main>
</div>
</body>
</html>
`
}
