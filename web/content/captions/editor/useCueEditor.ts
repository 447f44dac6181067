import { useMemo, useState } from 'react'
import { readCaptions } from '#contract/videos/captions.ts'
import { readCues, saveCues, type CueList } from '#contract/videos/cues.ts'
import type { CaptionKind } from '#contract/videos/shown-captions.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { call } from '#web/api/client.ts'
import { openSelfSaving } from '#web/api/forms/selfSaving/selfSaving.ts'
import { useSelfSaving } from '#web/api/forms/selfSaving/useSelfSaving.ts'
import { useDraft } from '#web/api/forms/useDraft.ts'
import { fetchFresh, queryClient } from '#web/api/query.ts'
import {
  cueDrafts,
  fromStorage,
  keptCues,
  toStorage,
  type CueDraft,
  type CuePlace,
  type KeptCues,
} from './draft.ts'

type Of = { videoId: string; language: string; kind: CaptionKind }

/** 20,000 of them are some megabytes. */
const patience = 60_000

/** The editor of the captions of one language and kind. `list` is read again now and then; what others have saved comes in from it. */
export function useCueEditor(list: CueList, { videoId, language, kind }: Of) {
  const address = { params: { videoId, language }, query: { kind } }
  const heard = useMemo(() => keptCues(list), [list])
  const draft = useDraft(`cues:${videoId}:${language}:${kind}`)
  const [editor] = useState(() =>
    openSelfSaving<KeptCues, CueDraft, CuePlace>(
      heard,
      {
        kind: cueDrafts,
        async save({ cues }, { received }) {
          const body = { cues: [...cues] }
          const saved = await call(saveCues, { ...address, body, ifMatch: received, timeout: patience })
          // Other pages read them anew when they are opened; the player here goes on with what it has.
          for (const { name } of [readCaptions, readVideo])
            void queryClient.invalidateQueries({ queryKey: [name], refetchType: 'none' })
          return { draft: { cues }, updatedAt: saved.updatedAt, updatedBy: null, received: saved }
        },
        read: async () => keptCues(await fetchFresh(readCues, address)),
        keep: (edit) => (edit ? draft.keep(toStorage(edit)) : draft.forget()),
      },
      fromStorage(draft.found?.content, heard.draft),
    ),
  )
  const lost = 'Your last changes of the captions could not be saved. They wait for you on their page.'
  return { editor, state: useSelfSaving(editor, { heard, lost }) }
}
