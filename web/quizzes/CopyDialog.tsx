import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { quizLimits, readQuiz } from '#contract/quizzes/quizzes.ts'
import { listVideos, searchVideos, type Video } from '#contract/videos/videos.ts'
import { sentence } from '#web/api/errors.ts'
import { fetchFresh, queryOf } from '#web/api/query.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { formatRuntime, plural } from '#web/ui/format.ts'
import { SearchField } from '#web/ui/fields/SearchField.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { addQuestion, copiedFrom } from './draft.ts'
import type { Editor } from './editor.ts'
import { Lines } from '#web/ui/Lines.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { video: Video; editor: Editor; onClose: () => void }

const shown = 20

/** Takes the questions of another video over as new ones, beside those that are here. */
export function CopyDialog({ video, editor, onClose }: Props) {
  const { organizationId, durationMs } = video
  const [keyword, setKeyword] = useState('')
  const [busy, setBusy] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const query = { organizationId, limit: shown }
  const newest = useQuery({ ...queryOf(listVideos, { query }), enabled: keyword === '' })
  const found = useQuery({
    ...queryOf(searchVideos, { query: { ...query, keyword } }),
    enabled: keyword !== '',
  })
  const { data, error } = keyword === '' ? newest : found
  const videos = data?.items.filter(({ id }) => id !== video.id)
  const copy = async ({ id: videoId, title }: Video) => {
    setBusy(videoId)
    setProblem(null)
    try {
      const { draft } = await fetchFresh(readQuiz, { params: { videoId } })
      const room = quizLimits.questions - editor.read().history.draft.questions.length
      const questions = copiedFrom(draft, durationMs)
      if (questions.length === 0) return setProblem(`“${title}” has no questions.`)
      if (questions.length > room)
        return setProblem(`There is room for ${plural(room, 'more question')} only.`)
      editor.edit((one) => questions.reduce(addQuestion, one))
      toast.success(`${plural(questions.length, 'question')} of “${title}” copied.`, {
        label: 'Undo',
        run: () =>
          editor.edit((one) => ({
            ...one,
            questions: one.questions.filter(({ key }) => !questions.some((copied) => copied.key === key)),
          })),
      })
      onClose()
    } catch (failure) {
      setProblem(sentence(failure))
    } finally {
      setBusy(null)
    }
  }
  return (
    <Dialog title="Copy the questions of another video" isOpen onClose={onClose} dismiss="Cancel">
      <p>
        They come in beside those that are here. What lies after the end of this video is asked at the end.
      </p>
      <SearchField label="Search videos" value={keyword} onSearch={setKeyword} />
      {(problem ?? error) && <p role="alert">{problem ?? sentence(error)}</p>}
      {!videos && !error && <Bone height={120} />}
      {videos?.length === 0 && (
        <p>{keyword === '' ? 'There is no other video.' : 'No video has these words.'}</p>
      )}
      <Lines>
        {videos?.map((one) => (
          <li key={one.id}>
            <span>
              {one.title}
              {one.durationMs !== null && ' '}
              {one.durationMs !== null && <small>{formatRuntime(one.durationMs)}</small>}
            </span>
            <Button
              variant="default"
              size="compact-md"
              loading={busy === one.id}
              onClick={() => void copy(one)}
            >
              Copy<span className={shapes.sr}> the questions of {one.title}</span>
            </Button>
          </li>
        ))}
      </Lines>
    </Dialog>
  )
}
