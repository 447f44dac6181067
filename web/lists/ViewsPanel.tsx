import { Button } from '@mantine/core'
import { IconLink, IconPencil, IconTrash } from '@tabler/icons-react'
import { Link, useLocation, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { createPortal } from 'react-dom'
import { deleteView, listViews, updateView, type View } from '#contract/directory/views.ts'
import { attempt } from '#web/api/attempt.ts'
import { explain } from '#web/api/errors.ts'
import { useChange, useList } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { closeFlyout } from '#web/ui/overlays/Flyout.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { IconButton } from '#web/ui/IconButton.tsx'
import { SaveView } from './SaveView.tsx'
import { isChanged, searchOf, wholeOf } from './views.ts'
import type { ViewsOfList } from './ViewsMenu.tsx'
import rows from '../ui/overlays/menu.module.css'
import classes from './ViewsPanel.module.css'
import { whole } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'

function useViews({ list, orgId }: ViewsOfList) {
  const query = { list, ...(orgId === undefined ? {} : { organizationId: orgId }) }
  const { page, error } = useList(listViews, { query })
  const search = useLocation({ select: (location) => location.search })
  const present = page?.items.find(({ id }) => 'view' in search && id === search.view)
  return { views: page?.items, present, search, error }
}

/** The name of the view that is open. */
export function PresentView(viewed: ViewsOfList) {
  const { present, search } = useViews(viewed)
  if (!present) return 'Saved views'
  return (
    <>
      <span className={`${shapes.cut} ${classes.name}`}>{present.name}</span>
      {isChanged(present, search) && <small> changed</small>}
    </>
  )
}

type OpenForm = { kind: 'save' } | { kind: 'edit' | 'remove'; view: View }

/** Opens, saves, replaces, renames, shares and removes views of a list; in the flyout with this id. */
export function ViewsPanel({ id, ...viewed }: ViewsOfList & { id: string }) {
  const { views, present, search, error } = useViews(viewed)
  const [asked, ask] = useState<OpenForm | null>(null)
  const close = () => ask(null)
  return (
    <>
      <section className={classes.views} aria-label="Saved views">
        {error && <p role="alert">{explain(error).title}</p>}
        {views?.length === 0 && (
          <p className={shapes.hint}>
            No view yet. Set filters, order and columns as you need them, and save them under a name.
          </p>
        )}
        <ul>
          {views?.map((view) => (
            <Entry
              key={view.id}
              view={view}
              isPresent={view === present}
              onOpen={() => closeFlyout(id)}
              onAsk={ask}
            />
          ))}
        </ul>
      </section>
      <footer>
        {present?.own && isChanged(present, search) && <Update view={present} viewed={viewed} />}
        <Button variant="default" size="xs" onClick={() => ask({ kind: 'save' })}>
          Save as a new view
        </Button>
      </footer>
      {asked &&
        // Outside of the flyout, which closes while it is asked.
        createPortal(
          asked.kind === 'remove' ? (
            <Remove view={asked.view} onClose={close} />
          ) : (
            <SaveView viewed={viewed} {...(asked.kind === 'edit' && { view: asked.view })} onClose={close} />
          ),
          document.body,
        )}
    </>
  )
}

type EntryProps = { view: View; isPresent: boolean; onOpen: () => void; onAsk: (asked: OpenForm) => void }

function Entry({ view, isPresent, onOpen, onAsk }: EntryProps) {
  const router = useRouter()
  const search = useLocation({ select: (location) => location.search })
  const target = searchOf(view, search)
  const copy = async () => {
    const { href } = router.buildLocation({ to: '.', search: target })
    try {
      await navigator.clipboard.writeText(new URL(href, location.href).href)
      toast.success('The link was copied.')
    } catch {
      toast.info('This browser does not allow copying. Open the view and copy the address instead.')
    }
  }
  return (
    <li>
      <Link
        className={`${shapes.grow} ${rows.row}`}
        to="."
        search={target}
        activeOptions={{ exact: true, includeSearch: true }}
        aria-current={isPresent || undefined}
        resetScroll={false}
        onClick={onOpen}
        {...whole}
      >
        <span className={`${shapes.cut} ${classes.name}`}>
          {view.name}
          <br />
          <small>{sharing(view)}</small>
        </span>
      </Link>
      <IconButton
        tone="quiet"
        size={28}
        icon={IconLink}
        label={`Copy the link of ${view.name}`}
        title="Copy link"
        onClick={() => void copy()}
      />
      {view.own && (
        <IconButton
          size={28}
          icon={IconPencil}
          label={`Rename or share ${view.name}`}
          title="Rename or share"
          onClick={() => onAsk({ kind: 'edit', view })}
        />
      )}
      {view.mayRemove && (
        <IconButton
          tone="danger"
          size={28}
          icon={IconTrash}
          label={`Remove ${view.name}`}
          title="Remove"
          onClick={() => onAsk({ kind: 'remove', view })}
        />
      )}
    </li>
  )
}

function sharing({ own, shared, ownerName }: View): string {
  if (!shared) return 'Only you see it'
  return own ? 'Shared by you' : `Shared by ${ownerName ?? 'a superadmin'}`
}

function Update({ view, viewed }: { view: View; viewed: ViewsOfList }) {
  const update = useChange(updateView, [listViews])
  const search = useLocation({ select: (location) => location.search })
  const replace = () =>
    attempt(
      () =>
        update.mutateAsync({
          params: { viewId: view.id },
          body: { search: wholeOf(search, viewed) },
        }),
      `${view.name} shows this from now on.`,
    )
  return (
    <Button size="xs" loading={update.isPending} onClick={() => void replace()}>
      Update this view
    </Button>
  )
}

function Remove({ view, onClose }: { view: View; onClose: () => void }) {
  const remove = useChange(deleteView, [listViews])
  const confirm = () =>
    attempt(() => remove.mutateAsync({ params: { viewId: view.id } }), `The view ${view.name} was removed.`)
  return (
    <ConfirmDialog
      isOpen
      title={`Remove the view ${view.name}?`}
      confirmLabel="Remove view"
      onConfirm={confirm}
      onClose={onClose}
    >
      {view.shared ? 'Nobody finds it among the saved views any more. ' : ''}The list itself stays as it is.
    </ConfirmDialog>
  )
}
