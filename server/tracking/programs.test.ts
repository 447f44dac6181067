import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { bearsSign } from './programs.ts'

const require = createRequire(import.meta.url)

/** User agents of programs as they were met: github.com/monperrus/crawler-user-agents. */
const Programs = z.array(z.object({ instances: z.array(z.string()) }))
/** Of ten thousand visits of people to many sites: github.com/intoli/user-agents. */
const People = z.array(z.object({ userAgent: z.string() }))

it('takes nobody for a program of ten thousand people', async () => {
  const file = path.join(path.dirname(require.resolve('user-agents')), 'user-agents.json')
  const people = People.parse(JSON.parse(await readFile(file, 'utf8')))
  expect(people.length).toBeGreaterThan(9_000)
  expect(people.map(({ userAgent }) => userAgent).filter(bearsSign)).toEqual([])
})

/** CUBOT: github.com/omrilotan/isbot, fixtures/browsers.yml. WhatsApp: github.com/allinurl/goaccess/issues/808, github.com/faisalman/ua-parser-js/pull/841. */
it.each([
  'Mozilla/5.0 (Linux; Android 4.2.2; CUBOT C11 Build/JDQ39) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/31.0.1650.57 Mobile Safari/537.36 OPR/18.0.1290.66961',
  'Mozilla/5.0 (Linux; Android 6.0; CUBOT DINOSAUR Build/MRA58K; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/44.0.2403.119 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 6.0; CUBOT MAX) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/72.0.3626.121 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 8.0.0; CUBOT_P20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.110 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 13; Cubot Note 30) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_5) AppleWebKit/537.36 (KHTML, like Gecko) WhatsApp/0.2.4238 Chrome/53.0.2785.143 Electron/1.4.12 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.7390.124 Mobile Safari/537.36 [WA4A/2.25.32.75;]',
  'Mozilla/5.0 (Linux; Android 14; CPH2357 Build/UKQ1.230924.001; ) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/150.0.7871.184 Mobile Safari/537.36 WA4A/2.26.32.83',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 26_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.6 Mobile/15E148 Safari/604.1 [WAiOS/2.26.31]',
])('takes a telephone and the browser inside a messenger for a person: %s', (userAgent) => {
  expect(bearsSign(userAgent)).toBe(false)
})

it('knows most programs that say what they are, and those of messages and mail scanners', () => {
  const programs = Programs.parse(require('crawler-user-agents')).flatMap(({ instances }) => instances)
  expect(programs.filter(bearsSign).length / programs.length).toBeGreaterThan(0.7)
  const opening = [
    'WhatsApp/2.23.20.0',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36',
    'Mozilla/5.0 (compatible; MailScanner/2)',
  ]
  expect(opening.filter((userAgent) => !bearsSign(userAgent))).toEqual([])
})
