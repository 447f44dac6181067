import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import * as z from 'zod/mini'
import { poolings } from './db/pooling.ts'
import { isKey } from './storage/keys.ts'

/** One variable of the environment. */
export type Setting<Value = unknown> = {
  /** Of its text without blanks around it; undefined where it does not have the form. */
  read: (text: string) => Value | undefined
  /** What it has to be, in words that stand behind its name. */
  form: string
  example: string
  /** It may lie in the file that `<name>_FILE` names, and is never shown. */
  isSecret?: true
}

const flags: Record<string, boolean> = { '0': false, '1': true, false: false, true: true }
const flag: Setting<boolean> = {
  read: (text) => flags[text],
  form: 'must be 1 for on or 0 for off',
  example: '1',
}

const text = (form: string, example: string): Setting<string> => ({ read: (given) => given, form, example })

const matching = (pattern: RegExp, form: string, example: string): Setting<string> => ({
  read: (given) => (pattern.test(given) ? given : undefined),
  form,
  example,
})

const wholeNumber = (from: number, to: number, example: string): Setting<number> => ({
  read: (given) =>
    /^\d{1,9}$/.test(given) && Number(given) >= from && Number(given) <= to ? Number(given) : undefined,
  form: `must be a whole number from ${from} to ${to}`,
  example,
})

/** Signs that end a part of an address, within a password. */
const escaped = 'in its password, # / ? @ and % are written as %23 %2F %3F %40 and %25'

/** Whether it is an address with a host. */
function leadsBy(protocols: RegExp, given: string): boolean {
  const url = URL.parse(given)
  return url !== null && protocols.test(url.protocol) && url.hostname !== ''
}

const secretAddress = (protocols: RegExp, whose: string, example: string): Setting<string> => ({
  read: (given) => (leadsBy(protocols, given) ? given : undefined),
  form: `must be the address of ${whose} (${escaped})`,
  example,
  isSecret: true,
})

const database = (whose: string) =>
  secretAddress(/^postgres(ql)?:$/, whose, 'postgres://sendreel:password@db.example.com:5432/sendreel')

const webAddress = (form: string, example: string): Setting<string> => ({
  read: (given) => (leadsBy(/^https?:$/, given) ? given : undefined),
  form,
  example,
})

/** With nothing behind the host: links are made by adding a path. */
function originOf(given: string): string | undefined {
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  return [url.origin, `${url.origin}/`].includes(url.href) && !/[?#]$/.test(given) ? url.origin : undefined
}

/** Of a list such as `10.0.0.0/8, loopback`. */
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

/** An address without brackets, or a name. */
function hostOf(given: string): string | undefined {
  const bare = /^\[(.*)\]$/.exec(given)?.[1] ?? given
  return isIP(bare) > 0 || /^[\w-]+(\.[\w-]+)*\.?$/.test(bare) ? bare : undefined
}

type Metrics = { host: string; port: number }

/** Of `9464` or `0.0.0.0:9464`; a port alone is open to this machine only. */
function metricsOf(given: string): Metrics | undefined {
  const [, host = '127.0.0.1', port] = /^(?:\[?([^\]]+?)\]?:)?(\d{1,5})$/.exec(given) ?? []
  return hostOf(host) === undefined || port === undefined || Number(port) > 65_535
    ? undefined
    : { host, port: Number(port) }
}

function nameServerOf(given: string): string | undefined {
  const [, plain, bracketed, port = '53'] = /^(?:([\d.]+)|\[(.+)\])(?::(\d{1,5}))?$/.exec(given) ?? []
  return isIP(plain ?? bracketed ?? '') > 0 && Number(port) <= 65_535 ? given : undefined
}

/** What a file holds, without blanks around it; undefined where nothing can be read. */
function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

const parts = new Set(['api', 'worker', 'media'])
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Every setting that `env.ts` reads. */
export const settings = {
  PORT: wholeNumber(0, 65_535, '3000'),
  HOST: {
    read: hostOf,
    form: 'must be an address of this machine or a name, without a port (PORT says that)',
    example: '127.0.0.1',
  },
  PUBLIC_URL: {
    read: originOf,
    form: 'must begin with http:// or https:// and end with the host or its port, because the program lies at the top of its address',
    example: 'https://training.example.com',
  },
  DATA_DIR: text('must be a folder', '/var/lib/sendreel'),
  BACKUP_DIR: text('must be a folder', '/var/lib/sendreel-backups'),
  BACKUP_RECIPIENT: matching(
    /^age1[a-z0-9]+$/,
    'must be a recipient of age, which begins with age1',
    'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
  ),
  DATABASE_URL: database('a PostgreSQL database'),
  DATABASE_OWNER_URL: database('the same database as its owner'),
  DATABASE_DIRECT_URL: database('the same database past the pooler'),
  DATABASE_POOL: {
    read: (given) => poolings.find((one) => one === given),
    form: 'must be “session” or “transaction”, as the pooler in between is configured, or left out',
    example: 'transaction',
  },
  DATABASE_CONNECTIONS: wholeNumber(10, 500, '20'),
  S3_ENDPOINT: webAddress(
    'must begin with http:// or https:// (left out, the store is that of Amazon)',
    'https://objects.example.com',
  ),
  S3_BUCKET: matching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket', 'sendreel'),
  S3_PREFIX: {
    read: (given) => (isKey(given.replace(/\/$/, '')) ? `${given.replace(/\/$/, '')}/` : undefined),
    form: 'must be the beginning of names, of letters, digits, dots, hyphens and slashes',
    example: 'production/',
  },
  S3_REGION: matching(/^[\w-]+$/, 'must be a region', 'eu-central-1'),
  S3_PATH_STYLE: flag,
  S3_ACCESS_KEY: { ...text('must be the name of a key', 'AKIAEXAMPLE'), isSecret: true },
  S3_SECRET_KEY: { ...text('must be what belongs to S3_ACCESS_KEY', 'its secret'), isSecret: true },
  MEDIA_URLS: {
    read: (given) => (given === 'signed' ? given : undefined),
    form: 'must be “signed”, or left out',
    example: 'signed',
  },
  SMTP_URL: secretAddress(/^smtps?:$/, 'a mail server', 'smtp://user:password@mail.example.com:587'),
  MAIL_FROM: matching(/@/, 'must contain an email address', 'Training <training@example.com>'),
  DNS_SERVER: {
    read: nameServerOf,
    form: 'must be an address, with a port where it is not 53',
    example: '10.0.0.2',
  },
  SECRET_KEY: {
    ...matching(/^.{32,}$/su, 'must have at least 32 characters', 'what “openssl rand -base64 48” prints'),
    isSecret: true,
  },
  SECRET_KEY_PREVIOUS: { ...text('must be what SECRET_KEY was', 'its former value'), isSecret: true },
  SECRET_KEY_FILE: {
    read: (file) => (contentOf(file) ? file : undefined),
    form: 'must be a file that this user can read and that holds the secret; “openssl rand -base64 48” prints a new one',
    example: '/etc/sendreel/secret-key',
  },
  PRODUCT_NAME: text('must be a name', 'Sendreel'),
  PROVIDER_NAME: text('must be a name', 'Example Ltd'),
  CONTACT_EMAIL: {
    read: (given) => z.email().safeParse(given).data,
    form: 'must be an email address',
    example: 'help@example.com',
  },
  BREACH_RANGE_URL: webAddress(
    'must begin with http:// or https://',
    'https://api.pwnedpasswords.com/range/',
  ),
  MEDIA_CACHE: flag,
  MEDIA_WORKERS: wholeNumber(1, 256, '2'),
  WHISPER_MODEL: text('must be the path of a file', '/var/lib/sendreel/ggml-base.bin'),
  WHISPER_MODEL_SHA256: matching(
    /^[0-9a-f]{64}$/i,
    'must be the SHA-256 of that file, 64 signs from 0 to f',
    '60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe',
  ),
  WHISPER_THREADS: wholeNumber(1, 256, '2'),
  TRUSTED_PROXIES: {
    read: networksOf,
    form: 'must list networks, such as 10.0.0.0/8, or loopback',
    example: '10.0.0.0/8, loopback',
  },
  WEBHOOK_HOSTS: matching(
    /^((^|,\s*)[^\s,]+:\d{1,5})*$/,
    'must list hosts with ports',
    'chat.example.com:8443, 10.0.0.5:443',
  ),
  WEBHOOK_CA_FILE: {
    read: contentOf,
    form: 'must be a file with certificates (PEM) that this user can read',
    example: '/etc/ssl/certs/house.pem',
  },
  UNDO_SECONDS: wholeNumber(0, 600, '60'),
  DRAIN_SECONDS: wholeNumber(0, 300, '5'),
  METRICS_TOKEN: {
    ...matching(/^.{16,}$/su, 'must have at least 16 characters', 'what “openssl rand -base64 24” prints'),
    isSecret: true,
  },
  METRICS_PORT: {
    read: metricsOf,
    form: 'must be a port, or an address and a port',
    example: '127.0.0.1:9464',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress('must begin with http:// or https://', 'http://localhost:4318'),
  WEB_TEXTS: text('must be a folder', 'dist/texts'),
  DEMO_MENU: flag,
  RUN: {
    read: (given) => {
      const chosen = given.split(',').map((part) => part.trim())
      return chosen.every((part) => parts.has(part)) ? new Set(chosen) : undefined
    },
    form: 'must list api, worker or media',
    example: 'api,worker',
  },
  LOG_LEVEL: {
    read: (given) => levels.find((level) => level === given),
    form: `must be one of ${levels.join(', ')}`,
    example: 'info',
  },
} satisfies Record<string, Setting>

export type SettingName = keyof typeof settings
export type Values = { [Name in SettingName]?: NonNullable<ReturnType<(typeof settings)[Name]['read']>> }

/** Read elsewhere, and never refused. */
const others = ['FFMPEG_PATH', 'SENDREEL_TRANSCODER']

/** Every name that means something to this program. */
export const knownNames: ReadonlySet<string> = new Set([
  ...Object.keys(settings),
  ...Object.entries<Setting>(settings).flatMap(([name, { isSecret }]) => (isSecret ? `${name}_FILE` : [])),
  ...others,
])
