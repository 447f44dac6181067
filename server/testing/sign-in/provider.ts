import { once } from 'node:events'
import https from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider, type Configuration } from 'oidc-provider'
import { certificate } from '../mail/webhooks.ts'

type Registered = { redirectUrl: string; logoutUrl: string }
type Claims = Record<string, unknown>
/** How its logout tokens come to us. */
type Deliver = (url: string, form: string) => Promise<number>

/** `oidc-provider`, as it is, on this machine: whoever is asked to sign in there is `who`. */
export type RealProvider = {
  issuer: string
  ca: Buffer
  clientId: string
  clientSecret: string
  who: string
  people: Map<string, Claims>
  /** Enters the addresses of a connection, as its administrator would. */
  register: (addresses: Registered, deliver?: Deliver) => Promise<void>
  /** Ends the session there, of which it tells us. */
  logOut: (subject: string, sid: string) => Promise<void>
  close: () => Promise<void>
}

export async function openProvider(name: string): Promise<RealProvider> {
  const { key, cert } = certificate([name])
  const sockets = new Set<Socket>()
  let present: Provider | undefined
  const server = https.createServer({ key, cert }, (request, answer) => void answerTo(request, answer))
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const real: RealProvider = {
    issuer: `https://${name}:${(server.address() as AddressInfo).port}`,
    ca: cert,
    clientId: 'reel',
    clientSecret: 'a secret of the client that is long enough',
    who: 'nobody',
    people: new Map(),
    async register(addresses, deliver) {
      present = new Provider(real.issuer, await configurationOf(real, addresses, deliver))
    },
    async logOut(subject, sid) {
      const client = await present?.Client.find(real.clientId)
      // The types of the package leave it out.
      const known = client as { backchannelLogout(subject: string, sid: string): Promise<void> } | undefined
      await known?.backchannelLogout(subject, sid)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }

  async function answerTo(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (!present) return void answer.writeHead(503).end()
    if (!request.url?.startsWith('/interaction/')) return void present.callback()(request, answer)
    await present.interactionFinished(request, answer, { login: { accountId: real.who, amr: ['pwd'] } })
  }

  return real
}

async function configurationOf(
  real: RealProvider,
  { redirectUrl, logoutUrl }: Registered,
  deliver: Deliver | undefined,
): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' }
  return {
    clients: [
      {
        client_id: real.clientId,
        client_secret: real.clientSecret,
        redirect_uris: [redirectUrl],
        backchannel_logout_uri: logoutUrl,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: [real.clientSecret] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...real.people.get(id) }),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    ...(deliver === undefined ? {} : { fetch: delivering(deliver) }),
  }
}

const delivering =
  (deliver: Deliver): NonNullable<Configuration['fetch']> =>
  async (url, options) => {
    const asked = new Request(url, options)
    return new Response(null, { status: await deliver(asked.url, await asked.text()) })
  }
