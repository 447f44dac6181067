import { escapeHtml, marked } from '#server/platform/http/pages/html.ts'
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { certificateFormat } from '#contract/evidence/certificate-format.ts'
import { languageNames, languages, localeOf, type Language } from '#contract/platform/text/languages.ts'
import { languageOf } from '#server/platform/http/pages/languages.ts'
import { parsedIn, sayIn } from '#server/platform/messages.ts'
import { policyText, verifyPagePolicy } from '#server/platform/http/headers.ts'
import { logoMark, logoName } from '#server/platform/http/pages/logo.ts'
import type { Services } from '#server/platform/http/services.ts'
import { readVerifyScript } from '../../platform/http/pages/built.ts'
import { certificateSigner } from './issue.ts'
import { signingKeys } from './signing-keys.ts'
import { verifyStyle } from './verify-style.ts'

/**
 * Draws the public page that verifies certificates. All of it is in one file, the key included: once loaded it needs no network, and saved
 * it is a program for verifying that outlives the installation.
 */
export function verifyPage(app: FastifyInstance, services: Services): void {
  const pages = new Map<Language, Page>()
  app.get<{ Querystring: { save?: unknown; language?: unknown } }>('/verify', async (request, reply) => {
    const language = languageOf(request.query.language, request.headers['accept-language'])
    const page = pages.get(language) ?? (await build(services, language))
    pages.set(language, page)
    if (request.query.save !== undefined)
      reply.header('content-disposition', `attachment; filename="verify-certificates.html"`)
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-language', language)
      .header('vary', 'accept-language')
      .header('content-security-policy', `${page.policy}; frame-ancestors 'none'`)
      .header('referrer-policy', 'no-referrer')
      .send(page.html)
  })
}

type Page = { html: string; policy: string }

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 26 26'%3E%3Crect x='1' y='1' width='24' height='24' rx='7' fill='%230c7562'/%3E%3Cpath d='M10 7v12l9-6z' fill='%23fff'/%3E%3C/svg%3E"

async function build(services: Services, language: Language): Promise<Page> {
  const { env, keys } = services
  const say = sayIn(language, 'verify')
  const script = readVerifyScript()
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const policy = policyText(verifyPagePolicy, {
    'script-src': [hashOf(script)],
    'style-src': [hashOf(verifyStyle)],
  })
  const signer = certificateSigner(keys)
  const installation = { keys: await signingKeys(services.db), address: services.publicUrl() }
  const words = { language, verify: parsedIn(language, 'verify'), evidence: parsedIn(language, 'evidence') }
  const product = escapeHtml(env.productName)
  const markup = (text: string) => marked(text, { code: ['<code>', '</code>'], save: saveLink(language) })
  const html = `<!doctype html>
<html lang="${localeOf[language]}">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy.replaceAll('"', '&quot;')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(say('description', { product: env.productName }))}">
<title>${escapeHtml(say('title'))} · ${product}</title>
<link rel="icon" href="${icon}">
<style>${verifyStyle}</style>
</head>
<body>
<header>${logoMark()}<span class="name" role="img" aria-label="${product}">${logoName(env.productName)}</span>${choiceOf(language)}</header>
<main>
<h1>${markup(say('heading'))}</h1>
<p class="lead">${markup(say('lead', { product: env.productName }))}</p>
<label class="drop" id="drop" hidden>
<svg width="40" height="40" viewBox="0 0 24 24" aria-hidden="true"><path d="M14 3v5h5M17 21H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h7l5 5v11a2 2 0 0 1-2 2zM9 15l2 2 4-4"/></svg>
<strong>${markup(say('choose'))}</strong>
<span>${markup(say('drop'))}</span>
<input id="files" type="file" multiple accept=".pdf,.json,application/pdf,application/json">
</label>
<noscript><p class="note">${markup(say('noScript'))}</p></noscript>
<div id="results" role="status"></div>
<section>
<h2>${markup(say('known'))}</h2>
<dl>
<div><dt>${markup(say('installation'))}</dt><dd>${escapeHtml(installation.address)}</dd></div>
<div><dt>${markup(say('key'))}</dt><dd><code>${signer.id}</code> (Ed25519)</dd></div>
</dl>
<p id="keep">${markup(say('save'))}</p>
<details>
<summary>${markup(say('byHand'))}</summary>
<p>${markup(say('byHandText', { format: certificateFormat }))}</p>
<pre tabindex="0">printf '%s' '${markup(say('formatAndFingerprint'))}' > text
printf '%s==' '${markup(say('signature'))}' | tr '_-' '/+' | base64 -d > signature
cat > key.pem &lt;&lt;END
${signer.pem.trim()}
END
openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in text -sigfile signature</pre>
</details>
</section>
</main>
<footer>${product}</footer>
<script type="application/json" id="installation">${dataText(installation)}</script>
<script type="application/json" id="words">${dataText(words)}</script>
<script type="module">${script}</script>
</body>
</html>
`
  return { html, policy }
}

/** A "<" is escaped, because it might end the data block early. */
const dataText = (data: object) => JSON.stringify(data).replaceAll('<', String.raw`\u003c`)

const saveLink = (language: Language) =>
  [`<a href="?save&amp;language=${language}" download="verify-certificates.html">`, '</a>'] as const

/** Links to the other languages, each in its own words. */
function choiceOf(shown: Language): string {
  const links = languages
    .filter((language) => language !== shown)
    .map(
      (language) =>
        `<a href="?language=${language}" hreflang="${language}" lang="${language}">${languageNames[language]}</a>`,
    )
  return `<nav id="languages" aria-label="${escapeHtml(sayIn(shown, 'verify')('language'))}">${links.join(' ')}</nav>`
}
