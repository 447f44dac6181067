import { Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  createField,
  fieldTypes,
  updateField,
  type Field,
  type FieldType,
} from '#contract/directory/fields.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import '#web/ui/fields.ts'
import { RadioChoices } from '#web/ui/RadioChoices.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { toast } from '#web/ui/toasts.ts'
import { fieldEndpoints, typeLabels } from './kinds.ts'

type Props = { orgId: string; field: Field | undefined; onClose: () => void }

/** One choice a line. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

export function FieldDialog({ orgId, field, onClose }: Props) {
  const [label, setLabel] = useState(field?.label ?? '')
  const [type, setType] = useState<FieldType>(field?.type ?? 'text')
  const [choices, setChoices] = useState(field?.options.join('\n') ?? '')
  const [errors, setErrors] = useState<Record<string, string>>({})
  const create = useChange(createField, fieldEndpoints)
  const update = useChange(updateField, fieldEndpoints)
  const save = async () => {
    const options = type === 'choice' ? linesOf(choices) : []
    try {
      if (field)
        await update.mutateAsync({
          params: { orgId, fieldId: field.id },
          body: { label, options },
          ifMatch: field,
        })
      else await create.mutateAsync({ params: { orgId }, body: { label, type, options } })
      toast.success(`${label.trim()} was ${field ? 'saved' : 'added'}.`)
      onClose()
    } catch (error) {
      const found = serverFieldErrors(error)
      setErrors(Object.keys(found).length > 0 ? found : { label: sentence(error) })
    }
  }
  const optionsError = Object.entries(errors).find(([name]) => name.startsWith('options'))?.[1]
  return (
    <FormDialog
      title={field ? `Edit ${field.label}` : 'Add a field'}
      submitLabel={field ? 'Save field' : 'Add field'}
      isBusy={create.isPending || update.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      <Stack gap={16}>
        <TextInput
          label="Label"
          description="What people read beside it, such as Department."
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          error={errors['label']}
          maxLength={60}
          autoComplete="off"
          data-autofocus
        />
        {field ? (
          <p>
            It holds: {typeLabels[field.type].word}. What a field holds cannot be changed; add another one for
            that.
          </p>
        ) : (
          <RadioChoices
            label="It holds"
            value={type}
            onChange={(value) => setType(fieldTypes.find((one) => one === value) ?? 'text')}
            choices={fieldTypes.map((value) => ({
              value,
              label: typeLabels[value].word,
              means: typeLabels[value].means,
            }))}
          />
        )}
        {type === 'choice' && (
          <Textarea
            label="Choices"
            description={
              field
                ? 'One on each line. Whoever has a choice that you take away keeps it until it is changed.'
                : 'One on each line.'
            }
            value={choices}
            onChange={(event) => setChoices(event.currentTarget.value)}
            error={optionsError}
            rows={6}
          />
        )}
      </Stack>
    </FormDialog>
  )
}
