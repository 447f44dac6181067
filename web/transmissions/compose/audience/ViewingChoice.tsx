import '#web/ui/fields/fields.ts'
import { Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readQuiz, readQuizVersion } from '#contract/quizzes/quizzes.ts'
import { listVideos, searchVideos } from '#contract/videos/videos.ts'
import { viewingKinds } from '#contract/tracking/viewing.ts'
import { fieldId } from '#web/api/forms/form.ts'
import { queryOf } from '#web/api/query.ts'
import '#web/ui/fields/choice.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { labels, noViewing, type Draft } from '../draft.ts'
import { viewingLabels } from '../../labels.ts'

type Props = {
  draft: Draft
  error: string | undefined
  onChange: (patch: Partial<Draft>) => void
}

const options = [
  { value: '', label: 'Whatever they have watched' },
  ...viewingKinds.map((value) => ({ value, label: viewingLabels[value] })),
]

/** Narrows those who were chosen to people who have watched, or not watched, a video in this way. */
export function ViewingChoice({ draft, error, onChange }: Props) {
  const { viewing, video } = draft
  const change = (patch: Partial<NonNullable<Draft['viewing']>>) =>
    viewing && onChange({ viewing: { ...viewing, ...patch } })
  return (
    <div className={shapes.stack}>
      <NativeChoice
        id={fieldId('viewing')}
        label={labels['viewing']}
        data={options}
        value={viewing?.kind ?? ''}
        error={error}
        onChange={({ currentTarget: { value } }) => {
          const kind = viewingKinds.find((one) => one === value)
          onChange({ viewing: kind ? { ...(viewing ?? { ...noViewing, video }), kind } : null })
        }}
      />
      {viewing && (
        <WatchedVideo
          organizationId={draft.organizationId}
          chosen={viewing.video}
          onChoose={(chosen) => change({ video: chosen, questionKey: '' })}
        />
      )}
      {viewing?.kind === 'not_seen' && (
        <div className={shapes.row}>
          <TextInput
            label="From"
            placeholder="3:10"
            autoComplete="off"
            value={viewing.from}
            onChange={(event) => change({ from: event.currentTarget.value })}
          />
          <TextInput
            label="To"
            placeholder="3:22"
            autoComplete="off"
            value={viewing.to}
            onChange={(event) => change({ to: event.currentTarget.value })}
          />
        </div>
      )}
      {viewing?.kind === 'answered_wrongly' && viewing.video && (
        <Question
          videoId={viewing.video.id}
          chosen={viewing.questionKey}
          onChoose={(questionKey) => change({ questionKey })}
        />
      )}
    </div>
  )
}

type VideoProps = {
  organizationId: string
  chosen: Draft['video']
  onChoose: (video: Draft['video']) => void
}

function WatchedVideo({ organizationId, chosen, onChoose }: VideoProps) {
  const [text, setText] = useState(chosen?.title ?? '')
  const [late] = useDebouncedValue(text.trim(), 200)
  const keyword = late === chosen?.title ? '' : late
  const query = { organizationId, limit: 25 }
  const newest = useQuery({ ...queryOf(listVideos, { query }), enabled: keyword === '' })
  const found = useQuery({
    ...queryOf(searchVideos, { query: { ...query, keyword } }),
    enabled: keyword !== '',
  })
  const { data } = keyword === '' ? newest : found
  const known = new Map(
    [...(data?.items ?? []), ...(chosen ? [chosen] : [])].map(({ id, title }) => [id, { id, title }]),
  )
  return (
    <Select
      label="Which video"
      placeholder="Search by title or description"
      searchable
      data={Array.from(known.values(), ({ id, title }) => ({ value: id, label: title }))}
      value={chosen?.id ?? null}
      onChange={(id) => onChoose(known.get(id ?? '') ?? null)}
      searchValue={text}
      onSearchChange={setText}
      filter={({ options: all }) => all}
      maxDropdownHeight={280}
      nothingFoundMessage="Nothing matches"
    />
  )
}

type QuestionProps = { videoId: string; chosen: string; onChoose: (key: string) => void }

function Question({ videoId, chosen, onChoose }: QuestionProps) {
  const params = { videoId }
  const { data: quiz } = useQuery(queryOf(readQuiz, { params }))
  const versionId = quiz?.versions.find(({ isCurrent }) => isCurrent)?.id ?? ''
  const { data: asked } = useQuery({
    ...queryOf(readQuizVersion, { params: { ...params, versionId } }),
    enabled: versionId !== '',
  })
  if (quiz && versionId === '') return <p role="status">This video asks nothing.</p>
  return (
    <NativeChoice
      label="Which question"
      data={[
        { value: '', label: 'Choose a question' },
        ...(asked?.questions ?? []).map(({ key, prompt }, at) => ({
          value: key,
          label: `${at + 1}. ${prompt}`,
        })),
      ]}
      value={chosen}
      onChange={(event) => onChoose(event.currentTarget.value)}
    />
  )
}
