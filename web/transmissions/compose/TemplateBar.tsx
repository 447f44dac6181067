import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { listTemplates, readTemplate } from '#contract/transmissions/templates.ts'
import { attempt } from '#web/api/attempt.ts'
import { fetchFresh, queryOf } from '#web/api/query.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { toast } from '#web/ui/feedback/toasts.ts'
import type { Draft } from './draft.ts'
import { TemplateDialog } from '../templates/TemplateDialog.tsx'

type Words = Pick<Draft, 'subject' | 'body'>
type Props = { draft: Words & Pick<Draft, 'organizationId'>; onChange: (patch: Words) => void }

/** Begins a message with what is kept, or keeps what was written. */
export function TemplateBar({ draft, onChange }: Props) {
  const { organizationId: orgId, subject, body } = draft
  const { data } = useQuery({ ...queryOf(listTemplates, { params: { orgId } }), enabled: orgId !== '' })
  const [isKeeping, setKeeping] = useState(false)
  // What was written before comes back into the form as it is then.
  const change = useRef(onChange)
  useEffect(() => {
    change.current = onChange
  })
  const start = (templateId: string) =>
    attempt(async () => {
      const template = await fetchFresh(readTemplate, { params: { orgId, templateId } })
      change.current({ subject: template.subject, body: template.message })
      const undo = { label: 'Undo', run: () => change.current({ subject, body }) }
      toast.success(`“${template.name}” was put in.`, subject + body === '' ? undefined : undo)
    })
  const templates = data?.items ?? []
  if (orgId === '' || (templates.length === 0 && body.trim() === '')) return null
  return (
    <div className={shapes.row}>
      {templates.length > 0 && (
        <NativeChoice
          aria-label="Start from a template"
          value=""
          data={[
            { value: '', label: 'Start from a template' },
            ...templates.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={({ currentTarget: { value } }) => value !== '' && void start(value)}
        />
      )}
      {body.trim() !== '' && (
        <Button variant="default" size="sm" onClick={() => setKeeping(true)}>
          Save as template
        </Button>
      )}
      {isKeeping &&
        // It is drawn elsewhere in the page, because this stands in a form, and a form holds no other.
        createPortal(
          <TemplateDialog orgId={orgId} start={{ subject, body }} onClose={() => setKeeping(false)} />,
          document.body,
        )}
    </div>
  )
}
