import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { Provider, type Configuration } from 'oidc-provider'
import type { NameServer } from '#server/testing/mail/name-server.ts'
import { certificate } from '#server/testing/mail/webhooks.ts'

/** What a company's own sign-in says about somebody. */
type Claims = { email: string; email_verified?: boolean; name: string; groups?: string[] }

/** A company's own sign-in: a real provider of OpenID Connect on this machine, with a certificate of an authority of its own. */
export type CompanySignIn = {
  issuer: string
  /** The certificate of its authority. */
  ca: Buffer
  /** By the name that somebody types there. */
  people: Map<string, Claims>
  /** Where it leads back to; nothing else is taken. */
  redirects: string[]
  clientId: string
  clientSecret: string
  close(): Promise<void>
}

const clientSecret = 'a secret that nobody guesses, of forty-eight letters'

export async function openCompanySignIn(): Promise<CompanySignIn> {
  const { key, cert } = certificate(['localhost'])
  const server = https.createServer({ key, cert })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = `https://localhost:${port}`
  const people = new Map<string, Claims>()
  const client = { client_id: 'sendreel', client_secret: clientSecret, redirect_uris: [] as string[] }
  const configuration: Configuration = {
    clients: [{ ...client, redirect_uris: [`${issuer}/nobody`] }],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    // Nobody is asked whether the console may know their address: companies decide that for all.
    async loadExistingGrant({ oidc: { client, session, provider: own } }) {
      const grant = new own.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    features: { devInteractions: { enabled: true }, backchannelLogout: { enabled: true } },
    cookies: { keys: ['of the test'] },
    findAccount: (_context, sub) => {
      const said = people.get(sub)
      return said && { accountId: sub, claims: () => ({ sub, email_verified: true, ...said }) }
    },
  }
  const provider = new Provider(issuer, configuration)
  // Which addresses it leads back to is only known once the connection is there, as at any provider.
  provider.Client.prototype.redirectUriAllowed = (uri: string) => opened.redirects.includes(uri)
  const answer = provider.callback()
  server.on('request', (request, response) => void answer(request, response))
  const opened: CompanySignIn = {
    issuer,
    ca: cert,
    people,
    redirects: [],
    clientId: client.client_id,
    clientSecret,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return opened
}

/** What a product needs to reach these providers of this machine, and to ask this name server. */
export function environmentFor(
  names: NameServer,
  providers: readonly CompanySignIn[],
): Record<string, string> {
  names.addressesOf = (name) => (name === 'localhost' ? ['127.0.0.1'] : [])
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'sendreel-ca-')), 'ca.pem')
  writeFileSync(file, providers.map(({ ca }) => ca.toString('utf8')).join('\n'))
  return {
    DNS_SERVER: names.address,
    WEBHOOK_HOSTS: providers.map(({ issuer }) => new URL(issuer).host).join(','),
    WEBHOOK_CA_FILE: file,
  }
}
