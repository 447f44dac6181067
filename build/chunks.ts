import type { Plugin } from 'vite'

/** What every public page needs: in one file, so that it takes one request. */
const base =
  /node_modules\/(react|react-dom|scheduler)\/|rolldown\/runtime|vite\/preload-helper|\/contract\/(language|problems|roles)\.|\/web\/api\/(client|errors|fieldErrors|passkeySupport|session|restore)\.|\/web\/(paths|shell\/(faces|Face|FacePicture|Restoring|face|roleNames)|ui\/(product|Logo|said|tokens\.css))\b/

/** Setting up a second factor, which happens while signing in and in the settings. */
const secrets = /node_modules\/qr\/|\/web\/ui\/(AppSecret|CopyButton|QrCode|RecoveryCodes|secrets)\./

/**
 * The console itself, and what more than one of its pages uses: one file instead of one for each icon and widget. Of the contract it
 * takes along what these modules import; the rest goes with the pages that ask for it.
 */
const ui =
  /node_modules\/@(tabler|mantine\/hooks)\/|components\/(NativeSelect|Combobox\/ComboboxChevron)\/|\/web\/(main|routes|boards\/Part|words\/only)\.|\/web\/api\/(?!form\.|editForm|editing|merge|useDraft)|\/web\/shell\/(?!topbar\/(mega|notices\.|MegaPanel|[oO]rganizationPanel|NoticePanel|NoticeDays|noticeWords)|shortcuts\/[Hh]elp|session\/Proof|organizationFilter\/OrganizationSelect|fields\/|evidence\/|pictures\/|organization\/|bulk\/|list\/(SaveView|ViewsPanel)|operations\/([Dd]ock|words|titles|progress|takeBack|followAll)|search\/|download\/|customizer\/(Panel|Preview|[Ss]ection|[Ll]anguage|use|\w+\.css))|\/web\/ui\/(?!choice|fields|FormLayout|MergeNote|SessionList|DataQuality|titles|Meanings|Steps|CoverageStrip|ShareBar|Tip|skins|KeyFigures|TodoList|Figure)\w+\.tsx?$/

/**
 * A group takes along all that its modules import, unless a group before it has that already; so no file ever imports one
 * that comes after it. (Without, files import one another in a circle, and then a module is used before it has run.)
 * Neither public pages nor the video page may import `ui`: it starts the console. `soundFiles` watches over both.
 */
export const groups = [
  { name: 'base', test: base, priority: 5 },
  {
    name: 'schemas',
    test: /node_modules\/zod\/|\/contract\/(auth|credentials|endpoint|system)\./,
    priority: 4,
  },
  { name: 'passkeys', test: /node_modules\/@simplewebauthn\/|\/web\/api\/passkeys\./, priority: 3.6 },
  { name: 'secrets', test: secrets, priority: 3.5 },
  { name: 'ui', test: ui, priority: 3 },
  // Of use to lists as well, which have none for what reports draw.
  { name: 'ground', test: /\/contract\/(report-ground|time-zones|dashboard)\./, priority: 2.5 },
  { name: 'choice', test: /\/web\/ui\/choice\.|core\/esm\/components\/(Combobox|Select)\//, priority: 2 },
  { name: 'table', test: /\/web\/ui\/table\/(TableView|useSelection)\./, priority: 1.2 },
  {
    name: 'organizations',
    test: /\/web\/organizations\/(RowActions|RemoveUser|RemoveGroup|OrganizationState|crumbs|states|useRemoval|columns|bulk\/bars|invitations\/(words|InvitationList))\.|\/contract\/(invitations|sessions)\./,
    priority: 1,
  },
  // Lists show it as well, and have no use for what reports draw.
  { name: 'share', test: /\/web\/ui\/ShareBar\./, priority: 1.5 },
  {
    name: 'plots',
    test: /\/web\/ui\/(plot\/(StepPlot|PlotTable|Sparkline|Frame)|KeyFigures|TodoList|Figure)\b/,
    priority: 1.4,
  },
  { name: 'reports', test: /\/web\/reports\/(columns|Filters|Nothing|Report|report)\./, priority: 1 },
]

/** Fails the build when files import one another in a circle, or when a page that is not the console's would start it. */
export function soundFiles(): Plugin {
  return {
    name: 'sound-files',
    apply: 'build',
    generateBundle(_options, bundle) {
      const importsOf = (file: string) => {
        const chunk = bundle[file]
        return chunk?.type === 'chunk' ? chunk.imports : []
      }
      const reach = (file: string, seen = new Set<string>()) => {
        for (const next of importsOf(file)) if (!seen.has(next)) reach(next, seen.add(next))
        return seen
      }
      for (const [file, chunk] of Object.entries(bundle)) {
        if (chunk.type !== 'chunk') continue
        const reached = reach(file)
        if (reached.has(file)) this.error(`${file} imports itself through ${[...reached].join(', ')}`)
        // It is written into its page whole, and saved with it.
        if (chunk.isEntry && chunk.name === 'verify' && chunk.imports.length > 0)
          this.error(`${file} imports ${chunk.imports.join(', ')} and would not work alone`)
        const isApart =
          chunk.isEntry && ['public', 'watch', 'engine', 'receipt', 'own', 'quiz'].includes(chunk.name)
        const starts = isApart ? [...reached].find((name) => bundle[name]?.name === 'ui') : undefined
        if (starts) this.error(`${file} imports ${starts}, which starts the console`)
      }
    },
  }
}

const ownFiles = /\/(?:web\/recorder\/|contract\/track-limits\.)/
const copy = '?island'

/**
 * The page of a video has its own copy of what it shares with the console's player: one file for both would be a second one to
 * fetch for everybody who only wants to watch.
 */
export function islandCopies(): Plugin {
  return {
    name: 'island-copies',
    apply: 'build',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (importer === undefined || !(importer.includes('/web/watch/') || importer.endsWith(copy)))
        return null
      const found = await this.resolve(source, importer.replace(copy, ''), { ...options, skipSelf: true })
      return found && ownFiles.test(found.id) ? { ...found, id: found.id + copy } : null
    },
  }
}
