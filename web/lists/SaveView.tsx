import { TextInput } from '@mantine/core'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createView, listViews, updateView, type View } from '#contract/views.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { toast } from '#web/ui/toasts.ts'
import { useUser } from '../session/useSession.ts'
import { searchOf, wholeOf } from './views.ts'
import type { ViewsOfList } from './ViewsMenu.tsx'

type Props = {
  viewed: ViewsOfList
  /** To be renamed or shared; without one the list is saved as a new view. */
  view?: View
  onClose: () => void
}

const sharing = [
  { value: '', label: 'Only me' },
  { value: 'shared', label: 'Everybody who may open this list' },
]

/** Asks under which name, and for whom. */
export function SaveView({ viewed, view, onClose }: Props) {
  const mayShare = useUser().role !== 'groupadmin'
  const [name, setName] = useState(view?.name ?? '')
  const [shared, setShared] = useState(view?.shared ?? false)
  const [error, setError] = useState<string | null>(null)
  const create = useChange(createView, [listViews])
  const update = useChange(updateView, [listViews])
  const search = useLocation({ select: (location) => location.search })
  const navigate = useNavigate()
  const {
    list,
    orgId,
    holds = 'Search, filters, order, columns and density are saved, not the people who are found now.',
  } = viewed
  const save = async () => {
    if (view) return update.mutateAsync({ params: { viewId: view.id }, body: { name, shared } })
    const place = { list, ...(orgId === undefined ? {} : { organizationId: orgId }) }
    const saved = await create.mutateAsync({
      body: { ...place, name, shared, search: wholeOf(search, viewed) },
    })
    await navigate({ to: '.', search: searchOf(saved, search), replace: true, resetScroll: false })
  }
  const submit = async () => {
    if (name.trim() === '') return setError('Please fill this in.')
    try {
      await save()
      toast.success(`The view ${name.trim()} was saved.`)
      onClose()
    } catch (refusal) {
      setError(serverFieldErrors(refusal)['name'] ?? sentence(refusal))
    }
  }
  return (
    <FormDialog
      title={view ? `Rename or share ${view.name}` : 'Save as a view'}
      submitLabel="Save view"
      isBusy={create.isPending || update.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="views-form">
        <TextInput
          label="Name"
          maxLength={200}
          value={name}
          error={error}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value)
            setError(null)
          }}
        />
        {mayShare && (
          <NativeChoice
            label="Who sees it"
            data={sharing}
            value={shared ? 'shared' : ''}
            onChange={({ currentTarget }) => setShared(currentTarget.value !== '')}
          />
        )}
        {!view && <p>{holds}</p>}
      </div>
    </FormDialog>
  )
}
