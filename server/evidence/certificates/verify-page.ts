import { escapeHtml } from '#server/platform/http/html.ts'
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { certificateFormat } from '#contract/certificate-format.ts'
import { policyText, verifyPagePolicy } from '#server/platform/http/headers.ts'
import type { Services } from '#server/platform/http/services.ts'
import { readEntries, readScript } from '../../tracking/built.ts'
import { certificateSigner } from './issue.ts'
import { verifyStyle } from './verify-style.ts'

/**
 * The public page that verifies certificates. All of it is in one file, the key included: once loaded it needs no network, and
 * saved it is a program for verifying that outlives the installation.
 */
export function verifyPage(app: FastifyInstance, services: Services): void {
  let page: { html: string; policy: string } | undefined
  app.get<{ Querystring: { save?: unknown } }>('/verify', async (request, reply) => {
    page ??= build(services)
    if (request.query.save !== undefined)
      reply.header('content-disposition', `attachment; filename="verify-certificates.html"`)
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', `${page.policy}; frame-ancestors 'none'`)
      .header('referrer-policy', 'no-referrer')
      .send(page.html)
  })
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 26 26'%3E%3Crect x='1' y='1' width='24' height='24' rx='7' fill='%230c7562'/%3E%3Cpath d='M10 7v12l9-6z' fill='%23fff'/%3E%3C/svg%3E"

function build(services: Services): { html: string; policy: string } {
  const { env, keys } = services
  const entry = readEntries()?.get('verify')
  const script = entry ? readScript(entry).trim() : ''
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const policy = policyText(verifyPagePolicy, {
    'script-src': [hashOf(script)],
    'style-src': [hashOf(verifyStyle)],
  })
  const signer = certificateSigner(keys)
  const installation = {
    keyId: signer.id,
    publicKey: signer.publicKey.toString('base64url'),
    address: services.publicUrl(),
  }
  const product = escapeHtml(env.productName)
  const html = `<!doctype html>
<html lang="en-US">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy.replaceAll('"', '&quot;')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Verify a viewing certificate of ${product} in your browser">
<title>Verify a viewing certificate · ${product}</title>
<link rel="icon" href="${icon}">
<style>${verifyStyle}</style>
</head>
<body>
<header><svg width="32" height="32" viewBox="0 0 26 26" aria-hidden="true"><rect x="1" y="1" width="24" height="24" rx="7" class="mark"/><path d="M10 7v12l9-6z" class="play"/></svg><span>${product}</span></header>
<main>
<h1>Is this viewing certificate genuine?</h1>
<p class="lead">Choose certificates of ${product}, as PDF or as JSON. They are verified here, in your browser. This page cannot send anything anywhere: its own policy forbids it.</p>
<label class="drop" id="drop" hidden>
<svg width="40" height="40" viewBox="0 0 24 24" aria-hidden="true"><path d="M14 3v5h5M17 21H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h7l5 5v11a2 2 0 0 1-2 2zM9 15l2 2 4-4"/></svg>
<strong>Choose certificates</strong>
<span>or drop them here</span>
<input id="files" type="file" multiple accept=".pdf,.json,application/pdf,application/json">
</label>
<noscript><p class="note">Verifying needs JavaScript, which is switched off here.</p></noscript>
<div id="results" role="status"></div>
<section>
<h2>Whose certificates this page knows</h2>
<dl>
<div><dt>Installation</dt><dd>${escapeHtml(installation.address)}</dd></div>
<div><dt>Key</dt><dd><code>${signer.id}</code> (Ed25519)</dd></div>
</dl>
<p id="keep"><a href="?save" download="verify-certificates.html">Save this page</a> as one file with the key inside. It verifies certificates without this server and without a network.</p>
<details>
<summary>Verify without this page</summary>
<p>A certificate is the JSON text that is attached to its PDF. Its fingerprint <code>hash</code> is SHA-256 over the bytes of <code>body.previous</code> followed by the SHA-256 of the <code>body</code> in canonical JSON (RFC 8785). Its <code>signature</code> is Ed25519 over its <code>format</code> (<code>${certificateFormat}</code>, or an earlier one), a space and the fingerprint. With the format, the fingerprint and the signature of a certificate:</p>
<pre tabindex="0">printf '%s' 'FORMAT FINGERPRINT' > text
printf '%s==' 'SIGNATURE' | tr '_-' '/+' | base64 -d > signature
cat > key.pem &lt;&lt;END
${signer.pem.trim()}
END
openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in text -sigfile signature</pre>
</details>
</section>
</main>
<footer>${product}</footer>
<script type="application/json" id="installation">${JSON.stringify(installation).replaceAll('<', String.raw`\u003c`)}</script>
<script type="module">${script}</script>
</body>
</html>
`
  return { html, policy }
}
