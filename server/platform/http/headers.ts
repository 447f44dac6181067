import type { FastifyInstance } from 'fastify'

/** What a page may load and do. Every directive that is not named falls back to nothing at all. */
export type Policy = Readonly<Record<string, readonly string[]>>

/** Hashes of the inline scripts are added by the server: see docs/design/contract-and-http.md. */
export const pagePolicy: Policy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  // Widgets are placed with style attributes, and the first styles stand in the page.
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  // The player feeds the video element with what it has fetched.
  'media-src': ["'self'", 'blob:'],
  'connect-src': ["'self'"],
  'object-src': ["'none'"],
  'worker-src': ["'none'"],
  // Mails are shown in frames whose text comes with the page; no frame has an address.
  'frame-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  // The one policy is in web/layout/trusted.ts.
  'trusted-types': ['default'],
}

/** Media that come from a store of their own: the player fetches them, or the browser plays them itself. */
export const mediaFrom = (origin: string | undefined): Policy =>
  origin === undefined ? {} : { 'media-src': ["'self'", 'blob:', origin], 'connect-src': ["'self'", origin] }

/** Of the public video page: no policy for HTML, for it never writes any. Its style is named by its hash. */
export const videoPagePolicy: Policy = {
  ...pagePolicy,
  'style-src': [],
  'font-src': ["'none'"],
  'form-action': ["'none'"],
  'trusted-types': ["'none'"],
}

/** Of the page on which people see what they owe: it runs nothing at all, and sends its own forms. */
export const ownTrainingPolicy: Policy = {
  ...videoPagePolicy,
  'script-src': ["'none'"],
  'connect-src': ["'none'"],
  'form-action': ["'self'"],
}

/**
 * Of the page that verifies certificates: one file with everything inside, named by hash. It may speak to nobody, so that what
 * somebody drops into it stays with them.
 */
export const verifyPagePolicy: Policy = {
  'default-src': ["'none'"],
  'script-src': [],
  'style-src': [],
  'img-src': ['data:'],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ["'none'"],
}

/** Of the pages about the API: a style sheet and a script in files of their own, nothing inline, and no form. */
export const referencePolicy: Policy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ['data:'],
  'connect-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ["'none'"],
}

/** Of all that is no page. Opened by itself it becomes a document, which may do nothing and never stands in a frame. */
const filePolicy: Policy = {
  'default-src': ["'none'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
}

/** Features of the browser: ours may use these, nobody else any. */
const ownFeatures = [
  'autoplay',
  'clipboard-write',
  'fullscreen',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
]
const noFeatures = [
  'accelerometer',
  'bluetooth',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
  'web-share',
  'xr-spatial-tracking',
]
const permissions = [
  ...ownFeatures.map((name) => `${name}=(self)`),
  ...noFeatures.map((name) => `${name}=()`),
].join(', ')

/** What else is allowed is added to its directive. */
export function policyText(policy: Policy, added: Readonly<Record<string, readonly string[]>> = {}): string {
  return Object.entries(policy)
    .map(([name, sources]) => [name, ...sources, ...(added[name] ?? [])].join(' '))
    .join('; ')
}

/** What every answer says beside its policy. */
const ofEveryAnswer: readonly (readonly [string, string])[] = [
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['origin-agent-cluster', '?1'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
  ['x-dns-prefetch-control', 'off'],
  ['x-download-options', 'noopen'],
  ['x-frame-options', 'SAMEORIGIN'],
  ['x-permitted-cross-domain-policies', 'none'],
  ['x-xss-protection', '0'],
]
const onlyEncrypted = ['strict-transport-security', 'max-age=31536000; includeSubDomains'] as const

type Guard = { inlineScripts: readonly string[]; isEncrypted: boolean; mediaOrigin: string | undefined }

/** Gives every answer its policy: pages the strict one that lets them work, everything else one that allows nothing. */
export function guardAnswers(app: FastifyInstance, { inlineScripts, isEncrypted, mediaOrigin }: Guard): void {
  const page = policyText({ ...pagePolicy, ...mediaFrom(mediaOrigin) }, { 'script-src': inlineScripts })
  const file = policyText(filePolicy)
  const headers = [
    ...ofEveryAnswer,
    ...(isEncrypted ? [onlyEncrypted] : []),
    ['content-security-policy', file] as const,
  ]
  app.addHook('onRequest', (_request, { raw }, done) => {
    // On the bare answer, so that those have it too which are not written by Fastify.
    for (const [name, value] of headers) raw.setHeader(name, value)
    done()
  })
  app.addHook('onSend', async (_request, reply) => {
    if (!/^text\/html\b/.test(String(reply.getHeader('content-type') ?? ''))) return
    reply.header('permissions-policy', permissions)
    // The video page has named its own.
    if (reply.getHeader('content-security-policy') === file) reply.header('content-security-policy', page)
  })
}
