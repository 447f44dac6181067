import type { ShownChapter } from './videos/shown-chapters.ts'
import type { Part } from './tracking/missing-parts.ts'

/** What the page of a video tells its script. Addresses are paths. */
export type WatchData = {
  /** What the player says, in the language of the page; `{time}` is where somebody stopped. */
  texts: PlayerTexts
  playToken: string
  /** The playlist; signed. */
  hls: string
  /** The script that plays it where the browser does not, and all that it imports: to be fetched before anybody presses. */
  engine: string[]
  /** The same of the controls of the player. */
  controls: string[]
  /** The script that shows what has been recorded. */
  receipt: string
  /** Missing where nothing is kept: the script by which viewers take their data along, and whether they came by a personal link. */
  own?: { script: string; isPersonal: boolean; organization: string }
  /** There is something to show before anything was played. */
  watched: boolean
  /** The link is that of a reminder: what is still missing, which is all that it plays. */
  missing?: readonly Part[]
  durationMs: number
  /** Where to continue, in milliseconds. */
  position: number
  quiz?: QuizData
  /** Missing where there are none: the script by which captions are chosen. */
  captions?: string
  /** Missing where nothing of it is said in captions: the script that shows them as text. */
  transcript?: string
  /** Missing where there are none: in the order of their times, and the script that shows them in the player. */
  chapters?: { script: string; list: readonly ShownChapter[] }
}

/** What the page that stands in place of a video until its recipient has signed in tells its script. */
export type GateData = {
  /** The secret of the personal link. */
  link: string
  /** The page of the video, as a path; and the page that signs in and leads back there. */
  address: string
  signIn: string
  /** `{name}` is where the name of whoever is signed in stands. */
  texts: { other: string; cookies: string; failed: string }
}

export const playerTexts = [
  'notStarted',
  'linkStopped',
  'lost',
  'tryAgain',
  'cannotPlay',
  'reload',
  'continuing',
  'fromBeginning',
  'ownDataAgain',
] as const
export type PlayerTexts = Record<(typeof playerTexts)[number], string>

/** What the page says about the questions of its video: no question, only where there are some (null: at the end). */
export type QuizData = { id: string; script: string; stops: { atMs: number | null; gate: boolean }[] }
