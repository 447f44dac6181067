import { useEffect, useState } from 'react'
import type { Video } from '#contract/videos/videos.ts'

type Sentences = typeof import('#contract/videos/video-failures.ts').videoFailures

let known: Sentences | undefined

/** Why a video failed, as a sentence; null where none failed. A page asks for the words once one has: most lists show none of them. */
export function useFailure({ failure }: Video): string | null {
  const [sentences, setSentences] = useState(known)
  useEffect(() => {
    const load = async () => {
      known = (await import('#contract/videos/video-failures.ts')).videoFailures
      setSentences(known)
    }
    if (failure !== null && !known) void load()
  }, [failure])
  return failure === null ? null : ((sentences ?? known)?.[failure] ?? '')
}
