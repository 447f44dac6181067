import { Button } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import * as z from 'zod/mini'
import { languageTag, readCaptions } from '#contract/videos/captions.ts'
import { markProofRead, readCues, type CueList } from '#contract/videos/cues.ts'
import { captionKinds, type CaptionKind } from '#contract/videos/shown-captions.ts'
import { readVideo, type VideoDetail } from '#contract/videos/videos.ts'
import { useBusy } from '#web/api/attempt.ts'
import { fetchFresh, prefetch, useChange, useEndpoint } from '#web/api/query.ts'
import { readSearch, usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import type { FrameProps } from '#web/ui/PageFrame.tsx'
import columns from '#web/ui/table/columns.module.css'
import { VideoFrame, VideoHead } from '../../VideoHead.tsx'
import { kindLabels, nameOfLanguage, whoRead } from '../words.ts'
import { CueDesk } from './CueDesk.tsx'
import type { CueEditor, CueEditorState } from './draft.ts'
import { useCueEditor } from './useCueEditor.ts'

type Page = '/content/$videoId/captions/$language'

const search = z.object({ kind: z.catch(z.enum(captionKinds), 'captions') })

/** Milliseconds until the page looks whether somebody else has changed them; a long list is a long answer. */
const lookEvery = ({ cues }: CueList) => (cues.length > 2_000 ? 30_000 : 8_000)

export async function load({ params: { videoId, language }, search: given }: LoadInput<Page>) {
  const { kind } = readSearch(search, given)
  await Promise.all([
    prefetch(readVideo, { params: { videoId } }),
    fetchFresh(readCues, { params: { videoId, language }, query: { kind } }),
  ])
}

/** Its head and tabs, while the video is not there; below them, its picture beside its captions. */
export function Frame({ lost }: FrameProps) {
  return (
    <VideoFrame
      lost={lost}
      hasAction
      bones={
        <div className={columns.even}>
          <Bone height={400} />
          <Bone height={480} />
        </div>
      }
    />
  )
}

export function CaptionsPage() {
  const { videoId, language } = usePathParams('/content/$videoId/captions/$language')
  const [{ kind }] = usePageSearch(search)
  const video = useEndpoint(readVideo, { params: { videoId } })
  const list = useEndpoint(readCues, { params: { videoId, language }, query: { kind } }, { every: lookEvery })
  const tag = languageTag(language) ?? language
  return <Captions key={`${videoId} ${tag} ${kind}`} video={video} list={list} language={tag} kind={kind} />
}

type Props = { video: VideoDetail; list: CueList; language: string; kind: CaptionKind }

function Captions({ video, list, language, kind }: Props) {
  const { editor, state } = useCueEditor(list, { videoId: video.id, language, kind })
  const isRead = list.proofRead !== null && list.updatedAt === state.base.updatedAt && !editor.isDirty()
  const about = { videoId: video.id, language, kind, editor, state, isRead }
  return (
    <>
      <VideoHead
        video={video}
        part={`${nameOfLanguage(language)}, ${kindLabels[kind].label}`}
        lead={
          <>
            {nameOfLanguage(language)}, {kindLabels[kind].label}{' '}
            {isRead && list.proofRead ? (
              <StatusBadge tone="success" title={whoRead(list.proofRead)}>
                Proof-read
              </StatusBadge>
            ) : (
              <StatusBadge
                tone="neutral"
                title="Nobody has said that they are right since they were changed."
              >
                To be proof-read
              </StatusBadge>
            )}
          </>
        }
        actions={<ProofRead {...about} />}
      />
      <CueDesk video={video} editor={editor} state={state} />
    </>
  )
}

type ProofProps = Pick<Props, 'language' | 'kind'> & {
  videoId: string
  editor: CueEditor
  state: CueEditorState
  isRead: boolean
}

/** Says that they are right as they stand, or that somebody has to read them again. */
function ProofRead({ videoId, language, kind, editor, state, isRead }: ProofProps) {
  const mark = useChange(markProofRead, [readCues, readCaptions, readVideo])
  const [isBusy, run] = useBusy()
  const isEmpty = state.history.draft.cues.length === 0
  const press = () =>
    run(
      async () => {
        if (!(await editor.flush())) throw new Error('The last changes are not saved.')
        await mark.mutateAsync({
          params: { videoId, language },
          query: { kind },
          body: { isProofRead: !isRead },
          ifMatch: editor.read().base.received,
        })
      },
      isRead ? 'They are to be proof-read again.' : 'They are marked as proof-read.',
    )
  return (
    <Button
      variant={isRead ? 'default' : 'filled'}
      leftSection={<IconCheck size={16} aria-hidden />}
      loading={isBusy}
      disabled={isEmpty}
      onClick={() => void press()}
    >
      {isRead ? 'Read them again' : 'Mark as proof-read'}
    </Button>
  )
}
