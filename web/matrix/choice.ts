import type { TrainingVideo } from '#contract/matrix/training.ts'

/** A choice says which videos have a column: all but some, where new ones appear by themselves, or only some, in an order of their own. */
export type VideoChoice = { kind: 'not' | 'only'; keys: readonly string[] }

export const allVideos: VideoChoice = { kind: 'not', keys: [] }

/** Returns the last group of the id, which is random, and short enough for an address that names hundreds. */
export const keyOf = ({ id }: { id: string }): string => id.slice(-12)

/** The address writes a choice as `not.…` or `only.…`, because a text of digits alone would be taken for a number. */
export const choicePattern = /^(not|only)(\.[\da-f]{12})*$/

export function choiceFrom(text: string): VideoChoice {
  const [kind, ...keys] = text.split('.')
  return kind === 'only' ? { kind, keys } : { kind: 'not', keys }
}

export function choiceText({ kind, keys }: VideoChoice): string {
  return kind === 'not' && keys.length === 0 ? '' : [kind, ...keys].join('.')
}

/** Returns the chosen videos: all but some in the order given, or only some in their own order. */
export function chosenFrom<V extends Pick<TrainingVideo, 'id'>>(
  videos: readonly V[],
  { kind, keys }: VideoChoice,
): readonly V[] {
  if (kind === 'not') return videos.filter((video) => !keys.includes(keyOf(video)))
  const byKey = new Map(videos.map((video) => [keyOf(video), video]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}

/** Puts a video in or takes it out. */
export function toggled(choice: VideoChoice, key: string, isShown: boolean): VideoChoice {
  const { kind, keys } = choice
  const others = keys.filter((one) => one !== key)
  return { kind, keys: isShown === (kind === 'only') ? [...others, key] : others }
}

/** Turns the choice into an order of its own with the same videos. `videos` are all of them, in their order. */
export function asOnly(choice: VideoChoice, videos: readonly Pick<TrainingVideo, 'id'>[]): VideoChoice {
  return choice.kind === 'only' ? choice : { kind: 'only', keys: chosenFrom(videos, choice).map(keyOf) }
}

/** Turns the choice into all but some with the same videos, so that new ones join them. */
export function asNot(choice: VideoChoice, videos: readonly Pick<TrainingVideo, 'id'>[]): VideoChoice {
  if (choice.kind === 'not') return choice
  return { kind: 'not', keys: videos.map(keyOf).filter((key) => !choice.keys.includes(key)) }
}

/** Moves a video to another place among those that are shown. */
export function moved({ kind, keys }: VideoChoice, key: string, to: number): VideoChoice {
  return { kind, keys: keys.filter((one) => one !== key).toSpliced(to, 0, key) }
}
