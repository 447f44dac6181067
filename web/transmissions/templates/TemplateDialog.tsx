import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  createTemplate,
  listTemplates,
  readTemplate,
  updateTemplate,
  type Template,
} from '#contract/transmissions/templates.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import { optional } from '#web/ui/fields/Field.tsx'
import '#web/ui/fields/fields.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { MessageFields } from '../compose/MessageFields.tsx'
import { variableErrors } from '../compose/variables.ts'

type Words = { subject: string; body: string }
type Props = {
  orgId: string
  /** This template is changed; left out, a new one is made. */
  template?: Template
  /** A new template begins with these words. */
  start?: Words
  onClose: () => void
}

const touched = [listTemplates, readTemplate]
const empty: Words = { subject: '', body: '' }

/** Asks for a message and its name. */
export function TemplateDialog({ orgId, template, start = empty, onClose }: Props) {
  const [name, setName] = useState(template?.name ?? '')
  const [words, setWords] = useState(template ? { subject: template.subject, body: template.message } : start)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const create = useChange(createTemplate, touched)
  const update = useChange(updateTemplate, touched)
  const save = async () => {
    const { subject, body: message } = words
    const wrong = await variableErrors(orgId, { subject, message }, {})
    if (wrong.length > 0) return setErrors(Object.fromEntries(wrong.map((one) => [one.field, one.message])))
    const body = { name, subject, message }
    try {
      if (template)
        await update.mutateAsync({ params: { orgId, templateId: template.id }, body, ifMatch: template })
      else await create.mutateAsync({ params: { orgId }, body })
      toast.success(`The template “${name.trim()}” was saved.`)
      onClose()
    } catch (error) {
      const found = serverFieldErrors(error)
      setErrors(Object.keys(found).length > 0 ? found : { name: sentence(error) })
    }
  }
  return (
    <FormDialog
      title={template ? `Edit “${template.name}”` : 'Save as template'}
      submitLabel="Save template"
      isBusy={create.isPending || update.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      <Stack gap={16}>
        <TextInput
          label="Name"
          description="Administrators read it, such as: first message to newcomers."
          value={name}
          onChange={(event) => {
            setErrors({})
            setName(event.currentTarget.value)
          }}
          error={errors['name']}
          maxLength={100}
          autoComplete="off"
          data-autofocus
        />
        <MessageFields
          draft={{ ...words, organizationId: orgId }}
          field="message"
          subjectLabel={optional('Subject')}
          idOf={(field) => `template-${field}`}
          errorOf={(field) => errors[field]}
          onChange={(patch) => {
            setErrors({})
            setWords({ ...words, ...patch })
          }}
        />
      </Stack>
    </FormDialog>
  )
}
