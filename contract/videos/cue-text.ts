/** What VTT knows, and what editors write into captions as if it were HTML. */
const knownTag = '/?(?:c|i|b|u|v|lang|ruby|rt|font|span|em|strong|br)(?:[\\s./][^<>]*)?'
const known = `${knownTag}>|(?:\\d+:)?\\d\\d:\\d\\d\\.\\d{3}>`

/** A sign of less-than that begins nothing that VTT knows, and so is only that. */
export const bareSign = new RegExp(`<(?!${known})`, 'gi')
const beginsTag = new RegExp(`^(?:${known})`, 'i')

/**
 * Text of a cue as somebody types it: “&” and “<” as they are, and escaped only where they would mean something else. What is made of it
 * on its way back is the same text.
 */
export function typedText(vtt: string): string {
  return vtt.replaceAll(/&(lt|gt|amp);/g, (escape: string, name: string, at: number) => {
    const rest = vtt.slice(at + escape.length, at + escape.length + 2_000)
    if (name === 'gt') return '>'
    if (name === 'amp') return /^#?\w+;/.test(rest) ? escape : '&'
    return beginsTag.test(rest.replaceAll('&gt;', '>')) ? escape : '<'
  })
}

/** What is read of it: without tags. */
export const shownText = (typed: string): string =>
  typed
    .replaceAll(new RegExp(`<(?:${known})`, 'gi'), '')
    .replaceAll(/&(lt|gt|amp);/g, (_all, name: string) => signs[name] ?? '')

const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' }
