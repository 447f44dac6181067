import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readEnv, warningsOf, type Env } from './env.ts'
import { settings, type Setting } from './settings.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'sendreel-settings-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileWith(name: string, text: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

const secret = 'a secret of thirty-two characters'
const blank = fileWith('blank', ' \n')
const missing = path.join(folder, 'missing')

describe('what is refused, by name, with the form that is wanted', () => {
  const rows: [environment: Record<string, string>, sentence: RegExp][] = [
    [{ PORT: '70000' }, /PORT: must be a whole number from 0 to 65535, for example 3000. It is "70000"/],
    [{ PORT: '0x10' }, /PORT: must be a whole number/],
    [{ PORT: '3e3' }, /PORT: must be a whole number/],
    [{ PORT: '3000.5' }, /PORT: must be a whole number/],
    [{ PORT: '-1' }, /PORT: must be a whole number/],
    [{ MEDIA_WORKERS: '0' }, /MEDIA_WORKERS: must be a whole number from 1 to 256/],
    [{ UNDO_SECONDS: 'none' }, /UNDO_SECONDS: must be a whole number from 0 to 600/],
    [{ HOST: '0.0.0.0:3000' }, /HOST: must be an address of this machine or a name, without a port/],
    [{ HOST: 'http://localhost' }, /HOST: must be an address/],
    [{ PUBLIC_URL: 'training.example.com' }, /PUBLIC_URL: must begin with http:\/\/ or https:\/\//],
    [{ PUBLIC_URL: 'ftp://example.com' }, /PUBLIC_URL: must begin with http/],
    [{ PUBLIC_URL: 'https://example.com/training' }, /PUBLIC_URL: must .* https:\/\/training\.example\.com/],
    [{ PUBLIC_URL: 'https://example.com/?a=b' }, /PUBLIC_URL: must/],
    [{ PUBLIC_URL: 'https://example.com/#top' }, /PUBLIC_URL: must/],
    [{ PUBLIC_URL: 'https://me:word@example.com' }, /PUBLIC_URL: must/],
    [{ PUBLIC_URL: '"https://example.com"' }, /PUBLIC_URL: .*quotation marks, which count as part of it/],
    [{ SECRET_KEY: ' '.repeat(40) }, /SECRET_KEY: holds nothing but blanks/],
    [{ SECRET_KEY: 'short' }, /SECRET_KEY: must have at least 32 characters, .* not shown/],
    [{ SECRET_KEY_FILE: missing }, /SECRET_KEY_FILE: must be a file .*missing/],
    [{ SECRET_KEY_FILE: folder }, /SECRET_KEY_FILE: must be a file/],
    [{ SECRET_KEY_FILE: blank }, /SECRET_KEY_FILE: must be a file .* that holds the secret/],
    [
      { SECRET_KEY: secret, SECRET_KEY_FILE: fileWith('key', secret) },
      /SECRET_KEY: is set, and SECRET_KEY_FILE/,
    ],
    [{ SMTP_URL_FILE: missing }, /SMTP_URL_FILE: names a file that cannot be read \(.*ENOENT/],
    [{ SMTP_URL_FILE: blank }, /SMTP_URL_FILE: names .*, which is empty/],
    [{ SMTP_URL: 'smtp://a', SMTP_URL_FILE: blank }, /SMTP_URL: is set, and SMTP_URL_FILE too/],
    [
      { SMTP_URL: 'mail.example.com' },
      /SMTP_URL: must be the address of a mail server .*smtp:\/\/user:password@/,
    ],
    [{ SMTP_URL: 'smtp://user:pass#word@mail' }, /SMTP_URL: .*# .* written as %23/],
    [{ SMTP_URL: 'smtp://' }, /SMTP_URL: must be the address/],
    [{ DATABASE_URL: 'mysql://a:b@c/d' }, /DATABASE_URL: must be the address of a PostgreSQL database/],
    [{ DATABASE_OWNER_URL: 'postgres://a:b@c/d' }, /DATABASE_OWNER_URL: needs DATABASE_URL/],
    [{ METRICS_PORT: '0.0.0.0:9464' }, /METRICS_PORT: needs METRICS_TOKEN/],
    [{ METRICS_PORT: '99999' }, /METRICS_PORT: must be a port/],
    [{ METRICS_TOKEN: 'short' }, /METRICS_TOKEN: must have at least 16 characters/],
    [{ WEBHOOK_CA_FILE: missing }, /WEBHOOK_CA_FILE: must be a file with certificates/],
    [{ DNS_SERVER: '999.0.0.1' }, /DNS_SERVER: must be an address/],
    [{ CONTACT_EMAIL: 'nobody' }, /CONTACT_EMAIL: must be an email address/],
    [{ MAIL_FROM: 'nobody' }, /MAIL_FROM: must contain an email address/],
    [{ MEDIA_CACHE: 'yes' }, /MEDIA_CACHE: must be 1 for on or 0 for off/],
    [{ RUN: 'api,mail' }, /RUN: must list api, worker or media/],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL: must be one of fatal, error/],
    [{ PRODUCT_NAME: '  ' }, /PRODUCT_NAME: holds nothing but blanks/],
  ]
  test.each(rows)('%o', (environment, sentence) => {
    expect(() => readEnv(environment)).toThrow(sentence)
  })

  test('all at once, and never a word of a secret', () => {
    const environment = { PORT: 'x', SECRET_KEY: 'hunter2', SMTP_URL: 'hunter2', DATABASE_URL: '"hunter2"' }
    expect(() => readEnv(environment)).toThrow(/PORT: [^]*DATABASE_URL: [^]*SMTP_URL: [^]*SECRET_KEY: /)
    expect(() => readEnv(environment)).not.toThrow('hunter2')
  })
})

describe('what is taken', () => {
  const rows: [environment: Record<string, string>, read: Partial<Env>][] = [
    [{ PORT: ' 8080\n' }, { port: 8080 }],
    [{ PORT: '' }, { port: 3000 }],
    [{ HOST: '[::1]' }, { host: '::1' }],
    [{ HOST: '::' }, { host: '::' }],
    [{ HOST: 'training.house.example' }, { host: 'training.house.example' }],
    [{ PUBLIC_URL: ' https://Training.example.com/ ' }, { publicUrl: 'https://training.example.com' }],
    [{ PUBLIC_URL: 'http://[::1]:8080' }, { publicUrl: 'http://[::1]:8080' }],
    [{ SECRET_KEY: `${secret} ` }, { secretKey: `${secret} ` }],
    [{ SMTP_URL_FILE: fileWith('mail', 'smtp://mail.test\n') }, { smtpUrl: 'smtp://mail.test' }],
    [{ SMTP_URL: '', SMTP_URL_FILE: path.join(folder, 'mail') }, { smtpUrl: 'smtp://mail.test' }],
    [
      { MEDIA_CACHE: 'true', DEMO_MENU: '0' },
      { mediaElsewhere: true, demoMenu: false },
    ],
    [{ RUN: 'api, worker' }, { run: new Set(['api', 'worker']) }],
    [{ METRICS_PORT: '9464' }, { metricsHost: '127.0.0.1', metricsPort: 9464 }],
    [
      { METRICS_PORT: '[::1]:9464', METRICS_TOKEN: 'sixteen characters' },
      { metricsHost: '::1', metricsPort: 9464 },
    ],
    [
      { WEBHOOK_HOSTS: 'Chat.test:8443, 10.0.0.5:443' },
      { webhookHosts: new Set(['chat.test:8443', '10.0.0.5:443']) },
    ],
  ]
  test.each(rows)('%o', (environment, read) => {
    expect(readEnv(environment)).toMatchObject(read)
  })

  test('the example of each setting that has one to be written as it stands', () => {
    const written = Object.entries<Setting>(settings).filter(
      ([name, { example }]) => !example.startsWith('what ') && !name.endsWith('_FILE'),
    )
    for (const [name, { read, example }] of written)
      expect([name, read(example)]).not.toEqual([name, undefined])
  })
})

describe('names that are almost right', () => {
  test.each([
    ['SMTP_URI', 'SMTP_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['PUBLICURL', 'PUBLIC_URL'],
    ['public_url', 'PUBLIC_URL'],
    ['PUBILC_URL', 'PUBLIC_URL'],
    ['SECRETKEY_FILE', 'SECRET_KEY_FILE'],
    ['FFMPEG_PAHT', 'FFMPEG_PATH'],
    ['port', 'PORT'],
  ])('%s', (name, meant) => {
    expect(warningsOf({ [name]: 'x' })).toEqual([`${name} is set and not read. Is ${meant} meant?`])
  })

  test.each([
    'HOME',
    'HOSTNAME',
    'PATH',
    'PWD',
    'LANG',
    'USER',
    'LOGNAME',
    'PORT',
    'SECRET_KEY_PREVIOUS_FILE',
  ])('nothing is said about %s', (name) => {
    expect(warningsOf({ [name]: 'x' })).toEqual([])
  })
})
