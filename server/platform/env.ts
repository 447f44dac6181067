import { readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { knownNames, settings, type Setting, type Values } from './settings.ts'
import { defaultConnections, type Pooling } from './db/pooling.ts'
import { originOf, type S3Place } from './storage/s3.ts'
import { foreignVariables } from './surroundings.ts'

export type Env = {
  port: number
  host: string
  publicUrl: string | undefined
  dataDir: string
  /** Where backups lie as long as files lie in DATA_DIR; with `isBackupDirGiven` in any case. */
  backupDir: string
  isBackupDirGiven: boolean
  /** Of age: who can open the backups; undefined: whoever can read their folder. */
  backupRecipient: string | undefined
  databaseUrl: string | undefined
  /** Of the owner of the tables, for migrations only. */
  databaseOwnerUrl: string | undefined
  /** Of the same role as `databaseUrl`, past a pooler. */
  databaseDirectUrl: string | undefined
  databasePool: Pooling | undefined
  /** This process opens no more connections. */
  databaseConnections: number
  /** Where files may lie instead of in DATA_DIR; which of both holds, the database says. */
  s3: S3Place | undefined
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
  /** A cache in front or a store hands out media by itself, so that what this server hands out is no whole record. */
  mediaElsewhere: boolean
  /** Segments are read from the store of files itself, by addresses that it takes for a while; their origin. */
  mediaOrigin: string | undefined
  /** Videos that are converted at once. */
  mediaWorkers: number
  /** By which speech is recognised: the file that the operator has named, and its SHA-256 in hex. */
  whisper: { file: string; sha256: string } | undefined
  /** That a model may have. */
  whisperThreads: number
  /** For so long what was sent can be taken back before it leaves. */
  undoSeconds: number
  /** Told to stop, an api says for so long that it is leaving before it takes no more connections: a balancer sends nobody to it then. */
  drainSeconds: number
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
  logLevel: NonNullable<Values['LOG_LEVEL']>
}

type Source = Record<string, string | undefined>
const table: [string, Setting][] = Object.entries(settings)

/** A value as it was given, or why there is none; undefined where nothing is set. */
type GivenValue = { text: string } | { fault: string } | undefined

function givenAs(source: Source, name: string, { isSecret }: Setting): GivenValue {
  const own = source[name] || undefined
  // SECRET_KEY_FILE is a setting of its own: the secret is changed in that file.
  const file = (isSecret && name !== 'SECRET_KEY' && source[`${name}_FILE`]?.trim()) || undefined
  if (own !== undefined && file !== undefined)
    return { fault: `${name}: is set, and ${name}_FILE too; take one of them away.` }
  if (file !== undefined) return inFile(`${name}_FILE`, file)
  if (own === undefined) return undefined
  if (own.trim() === '') return { fault: `${name}: holds nothing but blanks; take it away or fill it in.` }
  // What a secret has signed ends with it: one with a blank at its end stays what it was.
  return { text: name.startsWith('SECRET_KEY') ? own : own.trim() }
}

function inFile(name: string, file: string): GivenValue {
  try {
    const text = readFileSync(file, 'utf8').trim()
    return text === '' ? { fault: `${name}: names ${file}, which is empty.` } : { text }
  } catch (error) {
    return { fault: `${name}: names a file that cannot be read (${String(error)}).` }
  }
}

/** What is wrong with a value, without a word of it where it is secret. */
function faultOf(name: string, { form, example, isSecret }: Setting, text: string): string {
  const isQuoted = /^(["']).*\1$/s.test(text)
  const present = isQuoted
    ? 'It stands in quotation marks, which count as part of it: take them away.'
    : isSecret
      ? 'What it is now is not shown.'
      : `It is ${JSON.stringify(text)}.`
  return `${name}: ${form}, for example ${example}. ${present}`
}

const modesOfEncryption = /^(no-verify|require|verify-ca|verify-full)$/

/** What no setting is wrong by itself in. */
function faultsBetween(values: Values): string[] {
  const { METRICS_PORT, METRICS_TOKEN, SECRET_KEY, SECRET_KEY_FILE } = values
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_DIRECT_URL, DATABASE_POOL } = values
  const ofBucket = Object.keys(values).filter((name) => name.startsWith('S3_'))
  const mode = foreignVariables.get('PGSSLMODE') ?? ''
  const rules: [boolean, string][] = [
    [
      METRICS_PORT !== undefined && METRICS_PORT.host !== loopback && METRICS_TOKEN === undefined,
      'METRICS_PORT: needs METRICS_TOKEN where others than this machine can reach it.',
    ],
    [
      DATABASE_OWNER_URL !== undefined && DATABASE_URL === undefined,
      'DATABASE_OWNER_URL: needs DATABASE_URL beside it, which names the role that serves.',
    ],
    [
      (DATABASE_POOL !== undefined || DATABASE_DIRECT_URL !== undefined) && DATABASE_URL === undefined,
      'DATABASE_POOL and DATABASE_DIRECT_URL: need DATABASE_URL, which names the pooler.',
    ],
    [
      DATABASE_POOL === 'transaction' && DATABASE_DIRECT_URL === undefined,
      'DATABASE_POOL: with transaction, DATABASE_DIRECT_URL has to name the same database past the pooler, for what keeps its connection (migrations, listening, locks).',
    ],
    [
      SECRET_KEY !== undefined && SECRET_KEY_FILE !== undefined,
      'SECRET_KEY: is set, and SECRET_KEY_FILE too; take one of them away.',
    ],
    [
      ofBucket.length > 0 && values.S3_BUCKET === undefined,
      `S3_BUCKET: is missing, and ${ofBucket.join(', ')} needs it.`,
    ],
    [
      values.MEDIA_URLS !== undefined && values.S3_BUCKET === undefined,
      'MEDIA_URLS: needs S3_BUCKET, because only such a store signs addresses.',
    ],
    [
      (values.S3_ACCESS_KEY === undefined) !== (values.S3_SECRET_KEY === undefined),
      'S3_ACCESS_KEY and S3_SECRET_KEY: one needs the other.',
    ],
    [
      (values.WHISPER_MODEL === undefined) !== (values.WHISPER_MODEL_SHA256 === undefined),
      'WHISPER_MODEL and WHISPER_MODEL_SHA256: one needs the other.',
    ],
    [
      DATABASE_URL !== undefined && !/[?&]ssl/.test(DATABASE_URL) && modesOfEncryption.test(mode),
      `DATABASE_URL: has to say by itself that the connection is encrypted, because PGSSLMODE is not read. Add ?sslmode=${mode} at its end.`,
    ],
  ]
  return rules.filter(([isWrong]) => isWrong).map(([, fault]) => fault)
}

function readValues(source: Source): Values {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [name, setting] of table) {
    const given = givenAs(source, name, setting)
    if (given === undefined) continue
    if ('fault' in given) faults.push(given.fault)
    else {
      values[name] = setting.read(given.text)
      if (values[name] === undefined) faults.push(faultOf(name, setting, given.text))
    }
  }
  faults.push(...faultsBetween(values))
  if (faults.length > 0)
    throw new Error(`The configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  return values
}

/** What two names have in common that differ by case, by signs between their words, or by one letter. */
function traitsOf(name: string): string[] {
  const letters: string[] = name.toUpperCase().match(/[A-Z\d]/g) ?? []
  const shorter = letters.length < 6 ? [] : letters.map((_, at) => letters.toSpliced(at, 1).join(''))
  return [letters.join(''), ...shorter]
}

const known = new Map([...knownNames].flatMap((name) => traitsOf(name).map((trait) => [trait, name])))

/** What is set and not read, in sentences: a name that is almost one of ours, and what is meant for PostgreSQL's own programs. */
export function warningsOf(source: Source = process.env): string[] {
  const near = Object.keys(source).flatMap((name) => {
    const meant = knownNames.has(name) ? undefined : traitsOf(name).map((trait) => known.get(trait))
    const right = meant?.find((one) => one !== undefined)
    return right === undefined ? [] : [`${name} is set and not read. Is ${right} meant?`]
  })
  const hasDatabase = Boolean(source['DATABASE_URL'] || source['DATABASE_URL_FILE'])
  const foreign = hasDatabase ? [...foreignVariables.keys()] : []
  return foreign.length === 0
    ? near
    : [...near, `Not read, because DATABASE_URL says everything: ${foreign.join(', ')}.`]
}

function bucketOf(e: Values): S3Place | undefined {
  if (e.S3_BUCKET === undefined) return undefined
  return {
    endpoint: e.S3_ENDPOINT,
    bucket: e.S3_BUCKET,
    prefix: e.S3_PREFIX ?? '',
    region: e.S3_REGION ?? 'us-east-1',
    isPathStyle: e.S3_PATH_STYLE ?? false,
    keys:
      e.S3_ACCESS_KEY === undefined || e.S3_SECRET_KEY === undefined
        ? undefined
        : { accessKeyId: e.S3_ACCESS_KEY, secretAccessKey: e.S3_SECRET_KEY },
  }
}

const loopback = '127.0.0.1'

/** Reads the configuration; throws one error that names every wrong value at once. */
export function readEnv(source: Source = process.env): Env {
  const e = readValues(source)
  const dataDir = path.resolve(e.DATA_DIR ?? './data')
  const s3 = bucketOf(e)
  return {
    port: e.PORT ?? 3000,
    host: e.HOST ?? '0.0.0.0',
    publicUrl: e.PUBLIC_URL,
    dataDir,
    backupDir: path.resolve(e.BACKUP_DIR ?? `${dataDir}-backups`),
    isBackupDirGiven: e.BACKUP_DIR !== undefined,
    backupRecipient: e.BACKUP_RECIPIENT,
    databaseUrl: e.DATABASE_URL,
    databaseOwnerUrl: e.DATABASE_OWNER_URL,
    databaseDirectUrl: e.DATABASE_DIRECT_URL,
    databasePool: e.DATABASE_POOL,
    databaseConnections: e.DATABASE_CONNECTIONS ?? defaultConnections,
    s3,
    smtpUrl: e.SMTP_URL,
    mailFrom: e.MAIL_FROM ?? 'Sendreel <noreply@localhost>',
    dnsServer: e.DNS_SERVER,
    secretKey: e.SECRET_KEY,
    secretKeyPrevious: e.SECRET_KEY_PREVIOUS,
    secretKeyFile: e.SECRET_KEY_FILE,
    productName: e.PRODUCT_NAME ?? 'Sendreel',
    providerName: e.PROVIDER_NAME ?? 'Sendreel Project',
    contactEmail: e.CONTACT_EMAIL,
    breachRangeUrl: (e.BREACH_RANGE_URL ?? 'https://api.pwnedpasswords.com/range/').replace(/\/?$/, '/'),
    mediaElsewhere: e.MEDIA_CACHE === true || e.MEDIA_URLS === 'signed',
    mediaOrigin: e.MEDIA_URLS === 'signed' && s3 ? originOf(s3) : undefined,
    // One core is left to the server.
    mediaWorkers: e.MEDIA_WORKERS ?? Math.max(1, os.availableParallelism() - 1),
    whisper:
      e.WHISPER_MODEL !== undefined && e.WHISPER_MODEL_SHA256 !== undefined
        ? { file: path.resolve(e.WHISPER_MODEL), sha256: e.WHISPER_MODEL_SHA256.toLowerCase() }
        : undefined,
    whisperThreads: e.WHISPER_THREADS ?? 2,
    undoSeconds: e.UNDO_SECONDS ?? 60,
    // With a database of its own there is no other process that could serve meanwhile.
    drainSeconds: e.DRAIN_SECONDS ?? (e.DATABASE_URL === undefined ? 0 : 5),
    trustedProxies: e.TRUSTED_PROXIES ?? settings.TRUSTED_PROXIES.read('loopback') ?? new BlockList(),
    webhookHosts: new Set((e.WEBHOOK_HOSTS ?? '').toLowerCase().split(/,\s*/).filter(Boolean)),
    webhookCa: e.WEBHOOK_CA_FILE,
    metricsToken: e.METRICS_TOKEN,
    metricsHost: e.METRICS_PORT?.host ?? loopback,
    metricsPort: e.METRICS_PORT?.port,
    isTraced: e.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    demoMenu: e.DEMO_MENU ?? false,
    webTexts: e.WEB_TEXTS ?? path.resolve(import.meta.dirname, '../../dist/texts'),
    run: e.RUN ?? new Set(['api', 'worker', 'media']),
    logLevel: e.LOG_LEVEL ?? 'info',
  }
}
