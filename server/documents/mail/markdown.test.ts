import { expect, test } from 'vitest'
import { blocksOf } from './markdown.ts'

const html = (text: string) =>
  blocksOf(text, {})
    .map((block) => block.html)
    .join('')
const said = (text: string) =>
  blocksOf(text, {})
    .map((block) => block.text)
    .join('\n\n')

test('draws small headings, bold, italic, lists and links, and says them in words', () => {
  expect(html('# Safety\n#### More\n\nSee **this** and *that*.')).toBe(
    '<h2>Safety</h2><h3>More</h3><p>See <strong>this</strong> and <em>that</em>.</p>',
  )
  const list = 'Bring:\n- shoes\n- [a helmet](https://shop.example/a?b=1&c=2)\n\n3. one\n4. two\n   - inner'
  expect(html(list)).toBe(
    '<p>Bring:</p><ul><li>shoes</li><li><a href="https://shop.example/a?b=1&amp;c=2">a helmet</a></li></ul><ol start="3"><li>one</li><li>two<ul><li>inner</li></ul></li></ol>',
  )
  expect(said(list)).toBe(
    'Bring:\n\n- shoes\n- a helmet (https://shop.example/a?b=1&c=2)\n\n3. one\n4. two\n  - inner',
  )
  expect(said('# Safety\n\nSee **this**, [mail us](mailto:a@b.test) or https://b.test/x.')).toBe(
    'Safety\n\nSee this, mail us (mailto:a@b.test) or https://b.test/x.',
  )
})

test('leaves what people wrote before as it was', () => {
  const plain = [
    'Hello <you>,\nplease watch.\n\nC:\\files\\*.txt on \\\\server\\share & "more"',
    'snake_case 2 * 3 * 4 `code` ~~x~~ > y | z &amp; 100 % #1',
    '    four spaces\n\n---\n\n![picture](https://a.test/p.png?x',
  ]
  for (const text of plain) expect(said(text)).toBe(text.trim().replaceAll(/^ +/gm, '').replace('\\*', '*'))
  expect(html('One\r\ntwo\n\n\n\nthree')).toBe('<p>One<br>two</p><p>three</p>')
  expect(html('a\n---\nb')).toBe('<p>a</p><p>---</p><p>b</p>')
})

test('links lead to pages and mailboxes alone, and nothing becomes HTML', () => {
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.test',
    'file:///etc/passwd',
    'vbscript:x',
    '/w/video',
  ])
    expect(html(`[press](${address}) <${address}> ${address}`), address).not.toContain('<a')
  expect(html('<script>alert(1)</script><b onclick=x>y</b>')).not.toMatch(/<(script|b)/)
  expect(html('[x](https://a.test/"onmouseover="alert(1) "t")')).not.toMatch(/"\s*onmouseover/)
  expect(html('![x](https://a.test/p.png)')).not.toContain('<img')
})

test('is done with hostile texts at once', () => {
  const texts = [
    '*_',
    '[',
    '**a ',
    '[a](',
    '- ',
    '> ',
    '(https://a.test/',
    '\\',
    '`',
    '1. ',
    '# ',
    'a*b_',
    '![',
    '<',
    '{{',
    '{{a|',
    '}}',
  ]
  for (const text of texts) {
    const began = performance.now()
    blocksOf(text.repeat(Math.floor(20_000 / text.length)), {})
    blocksOf(`${text}\n`.repeat(Math.floor(20_000 / (text.length + 1))), {})
    expect(performance.now() - began, text).toBeLessThan(1_000)
  }
})
