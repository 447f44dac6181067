import { once } from 'node:events'
import https from 'node:https'
import type { ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWTHeaderParameters, type JWTPayload } from 'jose'
import { certificate } from '../mail/webhooks.ts'

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
/** What was asked at the authorization endpoint. */
type Asked = Record<string, string>

/** A provider of OpenID Connect that says whatever a test has it say, and nothing wrong by itself. */
export type Liar = {
  issuer: string
  ca: Buffer
  caFile: string
  clientId: string
  clientSecret: string
  /** Who is signed in there. */
  person: JWTPayload
  /** ms by which its clock is ahead. */
  ahead: number
  /** Changes what the token says; gets what it would say. */
  lie: (claims: JWTPayload, asked: Asked) => JWTPayload
  /** Changes how it is signed. */
  sign: (claims: JWTPayload) => Promise<string>
  /** Changes what it says about itself. */
  metadata: (honest: Record<string, unknown>) => Record<string, unknown>
  /** Changes the address that it leads back to. */
  back: (url: URL, asked: Asked) => URL
  /** Answers of the token endpoint in place of its own. */
  token: ((answer: ServerResponse, form: URLSearchParams) => boolean) | undefined
  userinfo: Record<string, unknown>
  /** A token signed with its key. */
  signed: (
    claims: Record<string, unknown>,
    header?: Partial<JWTHeaderParameters>,
    key?: Key,
  ) => Promise<string>
  strangerKey: Key
  /** Another key takes the place of the present one. */
  rotate: () => Promise<void>
  asked: { path: string; form: URLSearchParams }[]
  honest: () => void
  close: () => Promise<void>
}

const host = (port: number, name: string) => `https://${name}:${port}`

export async function openLiar(name: string): Promise<Liar> {
  const { key, cert, file } = certificate([name])
  const sockets = new Set<Socket>()
  const codes = new Map<string, Asked>()
  let pair = await generateKeyPair('RS256')
  let kid = 'first'
  const stranger = await generateKeyPair('RS256')
  const now = () => Math.floor((Date.now() + liar.ahead) / 1_000)
  const signed: Liar['signed'] = (claims, header = {}, by = pair.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(by)
  const liar: Liar = {
    issuer: '',
    ca: cert,
    caFile: file,
    clientId: 'reel',
    clientSecret: 'a secret of the client & more',
    person: {},
    ahead: 0,
    lie: (claims) => claims,
    sign: signed,
    metadata: (honest) => honest,
    back: (url) => url,
    token: undefined,
    userinfo: {},
    signed,
    strangerKey: stranger.privateKey,
    rotate: async () => {
      pair = await generateKeyPair('RS256')
      kid = crypto.randomUUID()
    },
    asked: [],
    honest: () => {
      liar.ahead = 0
      liar.lie = (claims) => claims
      liar.sign = signed
      liar.metadata = (said) => said
      liar.back = (url) => url
      liar.token = undefined
      liar.userinfo = {}
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }

  const json = (answer: ServerResponse, status: number, body: unknown) =>
    void answer
      .writeHead(status, {
        'content-type': 'application/json',
        date: new Date(Date.now() + liar.ahead).toUTCString(),
      })
      .end(JSON.stringify(body))

  function authorize(answer: ServerResponse, asked: Asked): void {
    const to = URL.parse(asked['redirect_uri'] ?? '')
    if (!to) return json(answer, 400, { error: 'invalid_request' })
    if (asked['prompt'] === 'none') to.searchParams.set('error', 'login_required')
    else {
      const code = crypto.randomUUID()
      codes.set(code, asked)
      to.searchParams.set('code', code)
    }
    to.searchParams.set('state', asked['state'] ?? '')
    answer.writeHead(303, { location: liar.back(to, asked).href }).end()
  }

  async function token(answer: ServerResponse, form: URLSearchParams): Promise<void> {
    if (liar.token?.(answer, form)) return
    const asked = codes.get(form.get('code') ?? '')
    if (!asked) return json(answer, 400, { error: 'invalid_grant' })
    codes.delete(form.get('code') ?? '')
    const claims = {
      iss: liar.issuer,
      aud: liar.clientId,
      sub: 'somebody',
      iat: now(),
      exp: now() + 300,
      ...(asked['nonce'] === undefined ? {} : { nonce: asked['nonce'] }),
      ...(asked['max_age'] === undefined ? {} : { auth_time: now() }),
      ...liar.person,
    }
    const idToken = await liar.sign(liar.lie(claims, asked))
    json(answer, 200, { access_token: crypto.randomUUID(), token_type: 'Bearer', id_token: idToken })
  }

  const server = https.createServer({ key, cert }, (request, answer) => {
    const url = new URL(request.url ?? '/', liar.issuer)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
      liar.asked.push({ path: url.pathname, form })
      void answerTo(url, form, answer)
    })
  })

  async function answerTo(url: URL, form: URLSearchParams, answer: ServerResponse): Promise<void> {
    if (url.pathname === '/.well-known/openid-configuration')
      return json(answer, 200, liar.metadata(describedAs(liar.issuer)))
    if (url.pathname === '/keys')
      return json(answer, 200, {
        keys: [{ ...(await exportJWK(pair.publicKey)), kid, use: 'sig', alg: 'RS256' }],
      })
    if (url.pathname === '/authorize') return authorize(answer, Object.fromEntries(url.searchParams))
    if (url.pathname === '/token') return token(answer, form)
    if (url.pathname === '/userinfo')
      return json(answer, 200, { sub: liar.person.sub ?? 'somebody', ...liar.userinfo })
    json(answer, 404, {})
  }

  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  liar.issuer = host((server.address() as AddressInfo).port, name)
  return liar
}

const describedAs = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  userinfo_endpoint: `${issuer}/userinfo`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
})
