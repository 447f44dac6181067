import { createHash, createVerify } from 'node:crypto'

/** Of the values of a header: what counts when they are compared (RFC 6376, 3.4.2). */
const relaxed = (value: string) =>
  value
    .replaceAll(/\r\n/g, '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim()

function headersOf(head: string): [name: string, value: string][] {
  return head
    .split(/\r\n(?![ \t])/)
    .filter((line) => line !== '')
    .map((line) => [
      line.slice(0, line.indexOf(':')).trim().toLowerCase(),
      relaxed(line.slice(line.indexOf(':') + 1)),
    ])
}

const bodyOf = (body: string) =>
  `${body
    .split('\r\n')
    .map((line) => line.replaceAll(/[ \t]+/g, ' ').replace(/ $/, ''))
    .join('\r\n')
    .replace(/(\r\n)+$/, '')}\r\n`

export type Verified = { isGenuine: boolean; domain: string; selector: string; covers: string[] }

/** Reads the signature of a mail as a receiver does, by the standard and with none of the signer's code. `keyOf` is the DNS. */
export function verifyDkim(raw: string, keyOf: (name: string) => string | undefined): Verified {
  const end = raw.indexOf('\r\n\r\n')
  const headers = headersOf(raw.slice(0, end))
  const signature = headers.find(([name]) => name === 'dkim-signature')?.[1] ?? ''
  const tags = new Map(
    signature.split(';').map((tag) => {
      const at = tag.indexOf('=')
      return [tag.slice(0, at).trim(), tag.slice(at + 1).replaceAll(' ', '')] as const
    }),
  )
  const tag = (name: string) => tags.get(name) ?? ''
  const covers = tag('h').toLowerCase().split(':')
  const left = headers.filter(([name]) => name !== 'dkim-signature')
  const lines = covers.flatMap((field) => {
    const at = left.findLastIndex(([name]) => name === field)
    const [found] = at < 0 ? [] : left.splice(at, 1)
    return found ? [`${found[0]}:${found[1]}\r\n`] : []
  })
  const unsigned = signature.replace(/(^|;)(\s*b=)[^;]*/, '$1$2').trim()
  const bodyHash = createHash('sha256')
    .update(bodyOf(raw.slice(end + 4)), 'latin1')
    .digest('base64')
  const record = keyOf(`${tag('s')}._domainkey.${tag('d')}`) ?? ''
  const key = /p=([^;]*)/.exec(record)?.[1] ?? ''
  const isGenuine =
    key !== '' &&
    bodyHash === tag('bh') &&
    createVerify('rsa-sha256')
      .update(`${lines.join('')}dkim-signature:${unsigned}`, 'latin1')
      .verify({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }, tag('b'), 'base64')
  return { isGenuine, domain: tag('d'), selector: tag('s'), covers }
}
