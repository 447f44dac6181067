import { generateKeyPairSync } from 'node:crypto'
import { createTransport } from 'nodemailer'

/**
 * The least that sends signed mails: the usual library with a pool of twenty connections, one text for everybody but for the name and the
 * link, no ledger. Says the CPU that it took, in seconds.
 */
const [port, count] = process.argv.slice(2).map(Number)
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const transport = createTransport({
  host: '127.0.0.1',
  port: port ?? 0,
  ignoreTLS: true,
  pool: true,
  maxConnections: 20,
  maxMessages: Infinity,
  dkim: {
    domainName: 'acme.test',
    keySelector: 'floor',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  },
})
const paragraph =
  '<p style="margin: 0 0 16px; font-size: 16px; line-height: 1.5">Please watch this video.</p>\n'
const send = (n: number) =>
  transport.sendMail({
    from: 'Acme <training@acme.test>',
    to: `person-${n}@example.test`,
    subject: 'Please watch',
    text: `Hello Person ${n}\n\nhttp://localhost:3000/w/video/${n}\n`,
    html: `<!doctype html><html lang="en"><body><p>Hello Person ${n}</p>${paragraph.repeat(60)}<a href="http://localhost:3000/w/video/${n}">Watch</a></body></html>`,
  })

const before = process.cpuUsage()
for (let from = 0; from < (count ?? 0); from += 200)
  await Promise.all(Array.from({ length: Math.min(200, (count ?? 0) - from) }, (_, n) => send(from + n)))
const { user, system } = process.cpuUsage(before)
transport.close()
process.stdout.write(`${(user + system) / 1e6}\n`)
