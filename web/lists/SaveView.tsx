import { TextInput } from '@mantine/core'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createView, listViews, updateView, type View } from '#contract/directory/views.ts'
import { useOneField } from '#web/api/forms/oneField.ts'
import { useChange } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { useUser } from '../session/useSession.ts'
import { searchOf, wholeOf } from './views.ts'
import type { ViewsOfList } from './ViewsMenu.tsx'
import shapes from '#web/ui/look/shapes.module.css'

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
  const [shared, setShared] = useState(view?.shared ?? false)
  const create = useChange(createView, [listViews])
  const update = useChange(updateView, [listViews])
  const search = useLocation({ select: (location) => location.search })
  const navigate = useNavigate()
  const {
    list,
    orgId,
    holds = 'Search, filters, order, columns and density are saved, not the people who are found now.',
  } = viewed
  const save = async (name: string) => {
    if (view) {
      await update.mutateAsync({ params: { viewId: view.id }, body: { name, shared } })
      return
    }
    const place = { list, ...(orgId === undefined ? {} : { organizationId: orgId }) }
    const saved = await create.mutateAsync({
      body: { ...place, name, shared, search: wholeOf(search, viewed) },
    })
    await navigate({ to: '.', search: searchOf(saved, search), replace: true, resetScroll: false })
  }
  const { field, submit, isBusy } = useOneField('name', view?.name ?? '', async (name) => {
    if (name === '') return 'Please fill this in.'
    await save(name)
    toast.success(`The view ${name} was saved.`)
    onClose()
    return undefined
  })
  return (
    <FormDialog
      title={view ? `Rename or share ${view.name}` : 'Save as a view'}
      submitLabel="Save view"
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className={shapes.stack}>
        <TextInput {...field} label="Name" maxLength={200} />
        {mayShare && (
          <NativeChoice
            label="Who sees it"
            data={sharing}
            value={shared ? 'shared' : ''}
            onChange={({ currentTarget }) => setShared(currentTarget.value !== '')}
          />
        )}
        {!view && <p className={shapes.lead}>{holds}</p>}
      </div>
    </FormDialog>
  )
}
