import { expect, test } from 'vitest'
import { isAddress, mailAddress, mailForm } from './addresses.ts'

const longest = `${'a'.repeat(64)}@customer.example`

test.each([
  'anna@müller.example',
  'ivan@xn--e1afmkfd.xn--p1ai',
  'ivan@почта.рф',
  'one@例子.测试',
  'anna&ben@customer.example',
  'user#1@customer.example',
  'first~last@customer.example',
  `!$%&'*+-/=?^_\`{|}~.#@customer.example`,
  "o'brien+news@a-b.customer.museum",
  '-@customer.example',
  longest,
])('takes %s', (address) => {
  expect(mailAddress().parse(address)).toBe(mailForm(address))
})

test.each([
  '',
  'anna',
  'anna@',
  '@customer.example',
  'anna@customer',
  'anna@@customer.example',
  'anna@ben@customer.example',
  '.anna@customer.example',
  'anna.@customer.example',
  'an..na@customer.example',
  'an na@customer.example',
  'anna@-customer.example',
  'anna@customer-.example',
  'anna@customer..example',
  'anna@customer.example.',
  'anna@127.0.0.1',
  'anna@[127.0.0.1]',
  'anna@customer.e',
  'anna@cust_omer.example',
  'anna@müller',
  'anna@mül/ler.example',
  'anna@mül:80.example',
  'jürgen@customer.example',
  'anna<x>@customer.example',
  'anna@customer.example\nBcc: ben@customer.example',
  `a${longest}`,
])('refuses “%s”', (address) => {
  expect(isAddress(address)).toBe(false)
})

test('keeps one form of one address', () => {
  expect(mailForm(' Anna@MÜLLER.example ')).toBe('anna@xn--mller-kva.example')
  expect(mailForm('anna@mu\u0308ller.example')).toBe('anna@xn--mller-kva.example')
  expect(mailForm('anna@müller。example')).toBe('anna@xn--mller-kva.example')
  expect(mailForm('anna@xn--mller-kva.example')).toBe('anna@xn--mller-kva.example')
  expect(mailForm('Not An Address')).toBe('not an address')
})
