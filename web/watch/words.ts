import type { captions } from '#contract/messages/en/captions.ts'
import type { ownData } from '#contract/messages/en/ownData.ts'
import type { player } from '#contract/messages/en/player.ts'
import type { quiz } from '#contract/messages/en/quiz.ts'
import type { receipt } from '#contract/messages/en/receipt.ts'
import type { transcript } from '#contract/messages/en/transcript.ts'
import { sayer, teller, unpacked, type Packed, type Say, type Tell } from '#contract/platform/text/say.ts'

type Surfaces = {
  captions: typeof captions
  ownData: typeof ownData
  player: typeof player
  quiz: typeof quiz
  receipt: typeof receipt
  transcript: typeof transcript
}
type Words = { locale: string; messages: { [S in keyof Surfaces]: Packed<Surfaces[S]> } }

// Written into the page by our own server, in the language of the page.
const words = JSON.parse(document.getElementById('words')?.textContent ?? '{}') as Words

/** How days and numbers are written on this page. */
export const { locale } = words

export function sayOf<S extends keyof Surfaces>(surface: S): Say<Surfaces[S]> {
  return sayer<Surfaces[S]>(unpacked<Surfaces[S]>(words.messages[surface]), locale)
}

export function tellOf<S extends keyof Surfaces>(surface: S): Tell<Surfaces[S]> {
  return teller<Surfaces[S]>(unpacked<Surfaces[S]>(words.messages[surface]), locale)
}
