import * as z from 'zod/mini'

/**
 * What mail servers take: before the @ every sign that RFC 5321 has outside of quotes, at most 64 of them; behind it names of the DNS, the
 * last of letters or in the form that other scripts have there.
 */
const pattern =
  /^(?=[^@]{1,64}@)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/

/** Of the browser and of the server alike; no library of types that both have names it. */
declare const URL: { parse: (url: string) => { hostname: string } | null }

/** A domain of other scripts, which browsers and mail servers write in letters of the DNS. */
const foreign = /^[\p{L}\p{M}\p{N}.。．｡-]*\P{ASCII}[\p{L}\p{M}\p{N}.。．｡-]*$/u

/** A domain as it is kept: `Müller.example` as `xn--mller-kva.example`. */
export function domainForm(given: string): string {
  const domain = given.trim().toLowerCase()
  return (foreign.test(domain) && URL.parse(`http://${domain}`)?.hostname) || domain
}

/** `@example.org` and `example.org` are the same. */
export const domainOf = (text: string): string => domainForm(text.trim().replace(/^.*@/, ''))

/** An address as it is kept: in lower case, its domain in letters of the DNS. */
export const mailForm = (given: string): string =>
  given
    .trim()
    .toLowerCase()
    .replace(/(?<=[^@]@)[^@]+$/, (domain) => domainForm(domain))

export const isAddress = (given: string): boolean => pattern.test(mailForm(given))

/** The one check of an address, on both sides; `most` is what the place holds. */
export const mailAddress = (most = 254) =>
  z
    .string()
    .check(
      z.overwrite(mailForm),
      z.minLength(1, 'required'),
      z.maxLength(most, 'too_long'),
      z.email({ pattern, error: 'invalid_email' }),
    )
