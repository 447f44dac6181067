import type { Page } from '@playwright/test'

/** What people have written, by the fields of the API that carry it: it comes in brackets, as if it were translated. */
const written =
  /^(name|.*Name|title|.*Title|subject|description|prompt|text|note|reason|body|message|label|slug|domain|email|.*Email|question|answer|consent|actor|target|fileName|recipient|sender|maskedDestination|senders|network|video|q)$/

/** Puts into brackets what does not come from the catalogue: what people wrote, and what the browser itself knows of a language. */
export async function bracketOthers(page: Page): Promise<void> {
  await page.addInitScript((pattern) => {
    const keys = new RegExp(pattern)
    const bracketed = (value: unknown, key = ''): unknown => {
      if (typeof value === 'string') return keys.test(key) && /\p{L}/u.test(value) ? `⟦${value}⟧` : value
      if (Array.isArray(value)) return value.map((one) => bracketed(one, key))
      if (typeof value !== 'object' || value === null) return value
      // An entry of the audit log: what it has recorded is shown as it was.
      if ('action' in value && 'before' in value && 'after' in value)
        return { ...all(value), before: recorded(value.before), after: recorded(value.after) }
      return all(value)
    }
    const all = (value: object) =>
      Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bracketed(one, name)]))
    const recorded = (value: unknown, key = ''): unknown => {
      if (typeof value === 'string') return key === 'role' || !/\p{L}/u.test(value) ? value : `⟦${value}⟧`
      if (Array.isArray(value)) return value.map((one) => recorded(one, key))
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, recorded(one, name)]))
    }
    const ask = fetch
    window.fetch = async (...all) => {
      const answer = await ask(...all)
      const isJson = answer.headers.get('content-type')?.startsWith('application/json')
      if (!answer.ok || !isJson) return answer
      const { status, headers } = answer
      return new Response(JSON.stringify(bracketed(await answer.json())), { status, headers })
    }
  }, written.source)
  await page.addInitScript(() => {
    type Speaks = (this: unknown, ...all: unknown[]) => string
    const marked = (speaks: Speaks): Speaks =>
      function (...all) {
        const text = speaks.apply(this, all)
        return /\p{L}/u.test(text) ? `⟦${text}⟧` : text
      }
    const define = (prototype: object, name: string, change: PropertyDescriptor) =>
      Object.defineProperty(prototype, name, { configurable: true, ...change })
    for (const name of ['toLocaleDateString', 'toLocaleTimeString', 'toLocaleString'])
      define(Date.prototype, name, { value: marked(Reflect.get(Date.prototype, name) as Speaks) })
    for (const { prototype } of [Intl.RelativeTimeFormat, Intl.ListFormat])
      define(prototype, 'format', { value: marked(Reflect.get(prototype, 'format') as Speaks) })
    define(Intl.DisplayNames.prototype, 'of', {
      value: marked(Reflect.get(Intl.DisplayNames.prototype, 'of') as Speaks),
    })
    const parts = Reflect.get(Intl.DateTimeFormat.prototype, 'formatToParts')
    define(Intl.DateTimeFormat.prototype, 'formatToParts', {
      value(this: Intl.DateTimeFormat, at: Date) {
        const isZone = ({ type }: Intl.DateTimeFormatPart) => type === 'timeZoneName'
        return parts
          .call(this, at)
          .map((part) => (isZone(part) ? { type: part.type, value: `⟦${part.value}⟧` } : part))
      },
    })
    for (const prototype of [Intl.DateTimeFormat.prototype, Intl.NumberFormat.prototype]) {
      const own = Object.getOwnPropertyDescriptor(prototype, 'format')
      define(prototype, 'format', {
        get() {
          return marked(own?.get?.call(this) as Speaks)
        },
      })
    }
  })
}

/** Everything on the page that is outside of brackets: texts, and what is read aloud or shown by the pointer. */
export async function untranslated(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const named = [
      'aria-label',
      'aria-description',
      'aria-valuetext',
      'aria-roledescription',
      'title',
      'data-tip',
      'placeholder',
      'alt',
    ]
    const outside = (text: string, start = 0): [string, number] => {
      let [depth, tail] = [start, '']
      for (const sign of text) {
        if (sign === '⟦') depth++
        else if (sign === '⟧') depth--
        else if (depth <= 0) tail += sign
      }
      return [tail, Math.max(depth, 0)]
    }
    const places = new Set(
      Intl.supportedValuesOf('timeZone').map((zone) => zone.split('/').at(-1)?.replaceAll('_', ' ')),
    )
    const withoutPlaces = (text: string) =>
      text.replaceAll(/\(([^()]+)\)/g, (all, place: string) => (places.has(place) ? '' : all))
    // Addresses, ids and codes have no language, nor have the names of browsers and systems, of places that time zones are named after, and of variables in messages.
    const spoken = (text: string) =>
      /\p{L}/u.test(
        withoutPlaces(text).replaceAll(
          /Chrome|Edge|Firefox|Safari|Samsung Internet|Android|iPad|iPhone|Linux|macOS|Windows|\{\w+\}|\S+[@:/]\S+|\b(?=[\w-]*\d)[\w-]+\b/g,
          '',
        ),
      )
    const where = (element: Element | null) => {
      const names: string[] = []
      for (let one = element; one && names.length < 3; one = one.parentElement)
        names.unshift(
          one.tagName.toLowerCase() +
            (typeof one.className === 'string' && one.className ? `.${one.className.split(' ')[0]}` : ''),
        )
      return names.join(' > ')
    }
    const note = (text: string, element: Element | null) => {
      const words = text.trim().replaceAll(/\s+/g, ' ')
      if (spoken(words)) found.push(`${words}  (${where(element)})`)
    }
    let depth = 0
    const walk = (node: Node): void => {
      if (node instanceof Text) {
        const [tail, next] = outside(node.data, depth)
        depth = next
        note(tail, node.parentElement)
        return
      }
      if (
        !(node instanceof Element) ||
        /^(script|style|noscript|kbd|code|template|option\[hidden\])$/i.test(node.tagName)
      )
        return
      // A library measures texts in it, far outside of the page.
      if (
        node instanceof HTMLElement &&
        (getComputedStyle(node).display === 'none' || (node.tabIndex === -1 && node.ariaHidden === 'true'))
      )
        return
      for (const name of named) {
        const [text] = outside(node.getAttribute(name) ?? '')
        // The key of a control is the same in every language.
        note(node.hasAttribute('aria-keyshortcuts') ? text.replace(/ \(.\)$/, '') : text, node)
      }
      node.childNodes.forEach(walk)
    }
    walk(document.body)
    note(outside(document.title)[0], document.head)
    return found
  })
}

/** By how many pixels the page is wider than the window. */
export async function overflow(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const more = document.documentElement.scrollWidth - innerWidth
    if (more <= 0) return undefined
    const wide = [...document.querySelectorAll('body *')].filter((one) => {
      const { right, width } = one.getBoundingClientRect()
      return right > innerWidth + 1 && width > 0
    })
    const inner = wide
      .filter((one) => !wide.some((other) => other !== one && one.contains(other)))
      .slice(0, 3)
    return `${more} px: ${inner.map((one) => `${one.tagName}.${one.textContent?.slice(0, 40)}`).join(' | ')}`
  })
}
