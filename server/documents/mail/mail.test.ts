import { expect, test } from 'vitest'
import { drawMail, type MailBrand } from './page.ts'
import { button, code, figures, heading, poster, small, strip, strong, words } from './parts.ts'

const brand: MailBrand = { name: 'Köhler & <Söhne>', logo: null, accentColor: '#ffd500', isProduct: false }
const hostile = '"><script>alert(1)</script>'
const mail = (parts: Parameters<typeof drawMail>[0]['parts'], by = brand) =>
  drawMail({ brand: by, subject: 'S', parts, footer: 'Reel' })

const cellsOf = (html: string) => [...html.matchAll(/<td width="(\d+)%"/g)].map(([, share]) => Number(share))

test('draws what was watched as bars and what is missing as a thread, with its words', () => {
  const html = strip(
    [
      [50_000, 100_000],
      [120_000, 180_000],
    ],
    180_000,
    'Missing: "0:50" to 1:40',
  )
  expect(html).toContain('role="img"')
  expect(html).toContain('aria-label="Missing: &quot;0:50&quot; to 1:40"')
  expect(html.match(/<td height="8" bgcolor="#12866d"/g)).toHaveLength(2)
  expect(html.match(/<td height="2" bgcolor="#78857e"/g)).toHaveLength(2)
  expect(cellsOf(html)).toEqual([28, 28, 11, 33])
})

test('draws nothing watched, and the whole of it, as one part', () => {
  const nothing = strip([[0, 60_000]], 60_000, '')
  expect(cellsOf(nothing)).toEqual([100])
  expect(nothing).not.toContain('#12866d')
  expect(strip([], 60_000, '')).not.toContain('#78857e')
})

test('lets no word become an element, and loads from nowhere but where it is told', () => {
  const link = { label: hostile, url: hostile }
  const { html } = mail(
    [
      heading(hostile),
      words(hostile),
      code(hostile),
      button(link),
      strong(hostile, 4),
      poster({ src: hostile, title: hostile, about: hostile, url: hostile }),
      figures({
        heads: [hostile, hostile, hostile],
        rows: [{ label: hostile, hint: hostile, value: hostile, change: hostile }],
      }),
      small(hostile, link),
    ],
    { ...brand, name: hostile, logo: { src: hostile, width: 10, height: 10 } },
  )
  expect(html).not.toContain('<script')
  expect(html.replaceAll(/&quot;/g, '')).not.toMatch(/url\(|@import|<link|https?:/)
})

test('carries the name and the color of the organization, dark as well, and is read without its pictures', () => {
  const { html } = mail([
    poster({ src: 'https://a.example/p', title: 'Lifting', about: 'Video', url: 'https://a.example/w' }),
  ])
  expect(html).toContain('Köhler &amp; &lt;Söhne&gt;')
  expect(html).toMatch(/bgcolor="#8[0-9a-f]{5}"/)
  expect(html).toContain('prefers-color-scheme:dark')
  expect(html.match(/>Lifting</g)).toHaveLength(1)
  expect(html).toContain('alt="Lifting"')
})
