import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import * as z from 'zod/mini'

const flag = z.pipe(
  z._default(z.enum(['0', '1', 'true', 'false', '']), ''),
  z.transform((value) => value === '1' || value === 'true'),
)

/** Of a list such as `10.0.0.0/8, loopback`; undefined where something else stands in it. */
function networksOf(list: string): BlockList | undefined {
  const networks = new BlockList()
  const all = list.replace(/\bloopback\b/, '127.0.0.0/8,::1').split(',')
  for (const one of all) {
    const [, address = '', bits] = /^([\d.]+|[\da-f:.]+:[\da-f:.]*)(?:\/(\d{1,3}))?$/i.exec(one.trim()) ?? []
    const [family, most] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
    const length = Number(bits ?? most)
    if (isIP(address) === 0 || length > most) return undefined
    networks.addSubnet(address, length, family)
  }
  return networks
}

const url = (protocols: RegExp) => z.optional(z.url({ protocol: protocols }))

const Environment = z.object({
  PORT: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(65_535)), 3000),
  HOST: z._default(z.string(), '0.0.0.0'),
  PUBLIC_URL: url(/^https?$/),
  DATA_DIR: z._default(z.string().check(z.minLength(1)), './data'),
  BACKUP_DIR: z.optional(z.string()),
  BACKUP_RECIPIENT: z.optional(
    z.string().check(z.regex(/^age1[a-z0-9]+$/, 'must be a recipient of age, which begins with age1')),
  ),
  DATABASE_URL: url(/^postgres(ql)?$/),
  DATABASE_OWNER_URL: url(/^postgres(ql)?$/),
  SMTP_URL: url(/^smtps?$/),
  MAIL_FROM: z._default(
    z.string().check(z.regex(/@/, 'must contain an email address')),
    'Sendreel <noreply@localhost>',
  ),
  DNS_SERVER: z.optional(
    z
      .string()
      .check(
        z.regex(/^([\d.]+|\[[\da-f:]+\])(:\d{1,5})?$/i, 'must be an address, with a port where it is not 53'),
      ),
  ),
  SECRET_KEY: z.optional(z.string().check(z.minLength(32, 'must have at least 32 characters'))),
  SECRET_KEY_PREVIOUS: z.optional(z.string()),
  SECRET_KEY_FILE: z.optional(z.string()),
  PRODUCT_NAME: z._default(z.string().check(z.minLength(1)), 'Sendreel'),
  PROVIDER_NAME: z._default(z.string().check(z.minLength(1)), 'Sendreel Project'),
  CONTACT_EMAIL: z.optional(z.email()),
  BREACH_RANGE_URL: z._default(z.url({ protocol: /^https?$/ }), 'https://api.pwnedpasswords.com/range/'),
  MEDIA_CACHE: flag,
  MEDIA_WORKERS: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(256))),
  TRUSTED_PROXIES: z._default(
    z
      .string()
      .check(
        z.refine(
          (list) => networksOf(list) !== undefined,
          'must list networks, such as 10.0.0.0/8, or loopback',
        ),
      ),
    'loopback',
  ),
  WEBHOOK_HOSTS: z._default(
    z
      .string()
      .check(
        z.regex(
          /^((^|,\s*)[^\s,]+:\d{1,5})*$/,
          'must list hosts with ports, such as chat.house.example:8443',
        ),
      ),
    '',
  ),
  WEBHOOK_CA_FILE: z.optional(z.string()),
  UNDO_SECONDS: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(600)), 60),
  METRICS_TOKEN: z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
  METRICS_PORT: z.optional(
    z
      .string()
      .check(z.regex(/^([\w.-]+:|\[[\da-f:]+\]:)?\d{1,5}$/i, 'must be a port, or an address and a port')),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/),
  WEB_TEXTS: z.optional(z.string()),
  DEMO_MENU: flag,
  RUN: z.pipe(
    z._default(
      z
        .string()
        .check(z.regex(/^(api|worker|media)(,(api|worker|media))*$/, 'must list api, worker or media')),
      'api,worker,media',
    ),
    z.transform((value) => new Set(value.split(','))),
  ),
  LOG_LEVEL: z._default(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
})

export type Env = {
  port: number
  host: string
  publicUrl: string | undefined
  dataDir: string
  backupDir: string
  /** Of age: who can open the backups; undefined: whoever can read their folder. */
  backupRecipient: string | undefined
  databaseUrl: string | undefined
  /** Of the owner of the tables, for migrations only. */
  databaseOwnerUrl: string | undefined
  smtpUrl: string | undefined
  mailFrom: string
  /** That is asked about domains of senders; undefined: the one that the system asks. */
  dnsServer: string | undefined
  secretKey: string | undefined
  /** The one before, of which what it signed and sealed still holds. */
  secretKeyPrevious: string | undefined
  secretKeyFile: string | undefined
  productName: string
  providerName: string
  contactEmail: string | undefined
  /** With a slash at the end; the first five characters of a hash follow. */
  breachRangeUrl: string
  /** A cache in front hands out media by itself, so that what this server hands out is no whole record. */
  mediaCache: boolean
  /** Videos that are converted at once. */
  mediaWorkers: number
  /** For so long what was sent can be taken back before it leaves. */
  undoSeconds: number
  /** Networks of the proxies that are believed when they say whose request they hand on. */
  trustedProxies: BlockList
  /** `host:port` of webhooks that may lie in a network of one's own. */
  webhookHosts: ReadonlySet<string>
  /** PEM of an authority whose certificates webhooks may have, beside those that the system knows. */
  webhookCa: string | undefined
  /** Who shows it may read the metrics; without one the API has no such address. */
  metricsToken: string | undefined
  /** Where the metrics are beside the API, or without one. */
  metricsPort: number | undefined
  metricsHost: string
  /** Whether traces are written; where to, the library reads itself. */
  isTraced: boolean
  demoMenu: boolean
  /** Folder with the web app in other languages, each in a folder named by its tag. */
  webTexts: string
  run: ReadonlySet<string>
  logLevel: z.infer<typeof Environment>['LOG_LEVEL']
}

/** What holds a secret may lie in a file: `SMTP_URL_FILE` names the one with `SMTP_URL`. */
const inFiles = ['DATABASE_URL', 'DATABASE_OWNER_URL', 'SMTP_URL', 'METRICS_TOKEN'] as const

function withFiles(source: Record<string, string | undefined>): Record<string, string | undefined> {
  const read = inFiles.flatMap((name) => {
    const file = source[`${name}_FILE`]
    return source[name] === undefined && file !== undefined ? [[name, readFileSync(file, 'utf8').trim()]] : []
  })
  return { ...source, ...Object.fromEntries(read) }
}

const loopback = '127.0.0.1'

/** Of `9464` or `0.0.0.0:9464`; a port alone is open to this machine only. */
function metricsPlace(text: string | undefined): Pick<Env, 'metricsHost' | 'metricsPort'> {
  const [, host, port] = /^(?:\[?([^\]]+?)\]?:)?(\d+)$/.exec(text ?? '') ?? []
  return { metricsHost: host ?? loopback, metricsPort: port === undefined ? undefined : Number(port) }
}

/** Reads the configuration; throws one error that names every wrong value at once. */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const filled = withFiles(Object.fromEntries(Object.entries(source).filter(([, value]) => value !== '')))
  const parsed = Environment.safeParse(filled)
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`The configuration is not valid:\n${lines.join('\n')}`)
  }
  const e = parsed.data
  const metrics = metricsPlace(e.METRICS_PORT)
  if (metrics.metricsHost !== loopback && e.METRICS_TOKEN === undefined)
    throw new Error(
      'The configuration is not valid:\n  METRICS_PORT: needs METRICS_TOKEN where others than this machine can reach it',
    )
  return {
    port: e.PORT,
    host: e.HOST,
    publicUrl: e.PUBLIC_URL?.replace(/\/$/, ''),
    dataDir: path.resolve(e.DATA_DIR),
    backupDir: path.resolve(e.BACKUP_DIR ?? `${path.resolve(e.DATA_DIR)}-backups`),
    backupRecipient: e.BACKUP_RECIPIENT,
    databaseUrl: e.DATABASE_URL,
    databaseOwnerUrl: e.DATABASE_OWNER_URL,
    smtpUrl: e.SMTP_URL,
    mailFrom: e.MAIL_FROM,
    dnsServer: e.DNS_SERVER,
    secretKey: e.SECRET_KEY,
    secretKeyPrevious: e.SECRET_KEY_PREVIOUS,
    secretKeyFile: e.SECRET_KEY_FILE,
    productName: e.PRODUCT_NAME,
    providerName: e.PROVIDER_NAME,
    contactEmail: e.CONTACT_EMAIL,
    breachRangeUrl: e.BREACH_RANGE_URL.replace(/\/?$/, '/'),
    mediaCache: e.MEDIA_CACHE,
    // One core is left to the server.
    undoSeconds: e.UNDO_SECONDS,
    mediaWorkers: e.MEDIA_WORKERS ?? Math.max(1, os.availableParallelism() - 1),
    trustedProxies: networksOf(e.TRUSTED_PROXIES) ?? new BlockList(),
    webhookHosts: new Set(e.WEBHOOK_HOSTS.toLowerCase().split(/,\s*/).filter(Boolean)),
    webhookCa: e.WEBHOOK_CA_FILE === undefined ? undefined : readFileSync(e.WEBHOOK_CA_FILE, 'utf8'),
    metricsToken: e.METRICS_TOKEN,
    ...metrics,
    isTraced: e.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    demoMenu: e.DEMO_MENU,
    webTexts: e.WEB_TEXTS ?? path.resolve(import.meta.dirname, '../../dist/texts'),
    run: e.RUN,
    logLevel: e.LOG_LEVEL,
  }
}
