import { Button } from '@mantine/core'
import { IconPencil, IconPlus, IconTemplate, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import * as z from 'zod/mini'
import {
  createTemplate,
  deleteTemplate,
  listTemplates,
  mostTemplates,
  readTemplate,
  type ListedTemplate,
  type Template,
} from '#contract/transmissions/templates.ts'
import { attempt } from '#web/api/attempt.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { fetchFresh, useChange, useList } from '#web/api/query.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { ChooseOrganization } from '#web/lists/ChooseOrganization.tsx'
import { OrganizationFilter } from '#web/lists/organizationFilter/OrganizationFilter.tsx'
import { usePageSearch } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { Lines } from '#web/ui/Lines.tsx'
import { RowMenu } from '#web/ui/table/RowMenu.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { TemplateDialog } from './TemplateDialog.tsx'
import { TransmissionsHead } from '../TransmissionsHead.tsx'

const search = z.object({ organization: z.catch(z.optional(z.uuid()), undefined) })

/** Lists messages that an organization writes often. */
export function TemplatesPage() {
  const { organizationId } = useUser()
  const [{ organization }, change] = usePageSearch(search)
  const [isAdding, setAdding] = useState(false)
  const orgId = organizationId ?? organization
  return (
    <>
      <TransmissionsHead
        part="Templates"
        actions={
          orgId && (
            <Button
              data-create
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => setAdding(true)}
            >
              Add a template
            </Button>
          )
        }
      />
      {orgId && organizationId === null && (
        <ListBar>
          <OrganizationFilter value={orgId} onChange={(id) => change({ organization: id || undefined })} />
        </ListBar>
      )}
      {orgId ? (
        <Listed orgId={orgId} />
      ) : (
        <ChooseOrganization why="Each organization keeps templates of its own." />
      )}
      {isAdding && orgId && <TemplateDialog orgId={orgId} onClose={() => setAdding(false)} />}
    </>
  )
}

function Listed({ orgId }: { orgId: string }) {
  const { page, error, retry } = useList(listTemplates, { params: { orgId } })
  const [edited, setEdited] = useState<Template | null>(null)
  const { remove, isRemoving } = useRemoval(orgId)
  if (error || !page) return <NotRead error={error} retry={retry} height={240} />
  if (page.items.length === 0)
    return (
      <EmptyState title="No templates yet" icon={<IconTemplate size={24} />}>
        Keep a message that you write often: here, or with “Save as template” where you write it.
      </EmptyState>
    )
  // A template from a list carries no version, and the form needs one, so as not to overwrite what somebody else has saved.
  const edit = ({ id: templateId }: ListedTemplate) =>
    attempt(async () => setEdited(await fetchFresh(readTemplate, { params: { orgId, templateId } })))
  return (
    <>
      <Lines isCard label="Templates">
        {page.items.map((one) => (
          <li key={one.id}>
            <div>
              <strong>{one.name}</strong>
              <small>{one.subject === '' ? one.beginning : one.subject}</small>
            </div>
            <div>
              <RowMenu
                name={one.name}
                isBusy={isRemoving(one.id)}
                acts={[
                  { icon: IconPencil, label: 'Edit', onPress: () => void edit(one) },
                  { icon: IconTrash, label: 'Remove', isDangerous: true, onPress: () => remove(one) },
                ]}
              />
            </div>
          </li>
        ))}
      </Lines>
      {page.items.length >= mostTemplates && (
        <p>An organization has {mostTemplates} templates at most. Remove one to add another.</p>
      )}
      {edited && <TemplateDialog orgId={orgId} template={edited} onClose={() => setEdited(null)} />}
    </>
  )
}

/** Removes a template at once, because it can be kept again as it was. */
function useRemoval(orgId: string) {
  const [removing, setRemoving] = useState<string | null>(null)
  const deletion = useChange(deleteTemplate, [listTemplates])
  const create = useChange(createTemplate, [listTemplates])
  const removeNow = async ({ id: templateId }: ListedTemplate) => {
    const params = { orgId, templateId }
    const { name, subject, message } = await fetchFresh(readTemplate, { params })
    await deletion.mutateAsync({ params })
    const restore = () =>
      attempt(() => create.mutateAsync({ params: { orgId }, body: { name, subject, message } }))
    toast.success(`The template “${name}” was removed.`, { label: 'Undo', run: () => void restore() })
  }
  const remove = (one: ListedTemplate) => {
    setRemoving(one.id)
    void attempt(() => removeNow(one)).finally(() => setRemoving(null))
  }
  return { remove, isRemoving: (id: string) => removing === id }
}
