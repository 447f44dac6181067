/** The languages that the server has, as tags, English first. Written into the page; empty where there is only English. */
export function languages(): string[] {
  const meta = document.querySelector<HTMLMetaElement>('meta[name=languages]')
  return meta?.content.split(' ').filter(Boolean) ?? []
}

/** What a language calls itself, so that its readers find it whatever the page speaks now. */
export function nameOf(tag: string): string {
  // "English", not "American English": there is one only.
  const plain = tag === 'en-US' ? 'en' : tag
  return new Intl.DisplayNames([tag], { type: 'language' }).of(plain) ?? tag
}

const year = 365 * 86_400

/** The choice as a cookie; over an encrypted line of this host alone, and it says so in its name. */
export function cookieOf(tag: string, protocol: string): string {
  const [name, secure] = protocol === 'https:' ? ['__Host-language', '; secure'] : ['language', '']
  return `${name}=${tag}; path=/; max-age=${year}; samesite=lax${secure}`
}

/** Keeps the choice where the server sees it before it answers, and begins anew in this language. */
export function speak(tag: string): void {
  document.cookie = cookieOf(tag, location.protocol)
  location.reload()
}
