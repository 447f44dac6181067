import https from 'node:https'
import type { TestServer } from '../server.ts'

type Page = { status: number; url: string; headers: Record<string, unknown>; body: string }
type Jar = Map<string, Map<string, string>>

/** A browser with cookies of its own: our side is asked as by one, providers of this machine over HTTPS. */
export type Visitor = {
  jar: Jar
  /** One request, without following where it leads. */
  open(url: string): Promise<Page>
  /** Follows redirects for as long as `goesOn` says of where the next one leads. */
  follow(url: string, goesOn?: (url: string) => boolean): Promise<Page>
  /** A POST of the page to our side. */
  post(path: string, body: object, token?: string): Promise<{ status: number; body: Record<string, unknown> }>
}

const home = 'http://localhost:3000'
const mostSteps = 20

function keep(jar: Jar, host: string, given: unknown): void {
  const cookies = jar.get(host) ?? new Map<string, string>()
  for (const line of typeof given === 'string' ? [given] : Array.isArray(given) ? given.map(String) : []) {
    const [pair = '', ...options] = line.split(';')
    const at = pair.indexOf('=')
    const isGone = options.some((one) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(one))
    if (isGone) cookies.delete(pair.slice(0, at))
    else cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }
  jar.set(host, cookies)
}

const cookieOf = (jar: Jar, host: string): string =>
  [...(jar.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')

export function visitorOf({ app }: Pick<TestServer, 'app'>, ca: readonly Buffer[]): Visitor {
  const jar: Jar = new Map()

  async function openHere(url: URL): Promise<Page> {
    const answer = await app.inject({
      url: url.pathname + url.search,
      headers: { cookie: cookieOf(jar, url.host) },
    })
    keep(jar, url.host, answer.headers['set-cookie'])
    return { status: answer.statusCode, url: url.href, headers: answer.headers, body: answer.body }
  }

  function openThere(url: URL): Promise<Page> {
    return new Promise((resolve, reject) => {
      const request = https.get(
        url,
        {
          ca: [...ca],
          headers: { cookie: cookieOf(jar, url.host), accept: 'text/html' },
          lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
        },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('end', () => {
            keep(jar, url.host, answer.headers['set-cookie'])
            const body = Buffer.concat(chunks).toString('utf8')
            resolve({ status: answer.statusCode ?? 0, url: url.href, headers: answer.headers, body })
          })
        },
      )
      request.on('error', reject)
    })
  }

  const open = (given: string) => {
    const url = new URL(given, home)
    return url.origin === home ? openHere(url) : openThere(url)
  }

  return {
    jar,
    open,
    async follow(from, goesOn = () => true) {
      let page = await open(from)
      for (let step = 0; step < mostSteps; step += 1) {
        const to = page.headers['location']
        if (page.status < 300 || page.status > 399 || typeof to !== 'string') return page
        const next = new URL(to, page.url).href
        if (!goesOn(next)) return { ...page, url: next }
        page = await open(next)
      }
      throw new Error(`too many redirects: ${page.url}`)
    },
    async post(path, body, token) {
      const answer = await app.inject({
        method: 'POST',
        url: path,
        payload: body,
        headers: {
          cookie: cookieOf(jar, new URL(home).host),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      })
      keep(jar, new URL(home).host, answer.headers['set-cookie'])
      return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
    },
  }
}

/** Where our side ends a sign-in: what the address of the page says. */
export const toldAt = (url: string): Record<string, string> => Object.fromEntries(new URL(url).searchParams)
export const isOurPage = (url: string): boolean => url.startsWith(`${home}/auth-1/`)
