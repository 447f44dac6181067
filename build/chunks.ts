/** What every public page needs: in one file, so that it takes one request. */
const base =
  /node_modules\/(react|react-dom|scheduler)\/|rolldown\/runtime|vite\/preload-helper|\/contract\/(language|problems|roles)\.|\/web\/api\/(client|errors|fieldErrors|passkeySupport|session|restore)\.|\/web\/(paths|layout\/(faces|Face|FacePicture|Restoring)|session\/roleNames|ui\/(base|product|Logo|tokens\.css))\b/

/** Setting up a second factor, which happens while signing in and in the settings. */
const secrets = /node_modules\/qr\/|\/web\/ui\/(AppSecret|CopyButton|QrCode|RecoveryCodes|secrets)\./

/** Drawn by more than one of the lists. */
const icons =
  /\/icons\/Icon(Archive|Check|ChevronLeft|Copy|Mail|MailPlus|PlayerPause|PlayerPlay|Plus|Table|Trash|Upload|Users|UsersGroup)\./

/**
 * The console itself, and what more than one of its pages uses: one file instead of one for each icon and widget. Of the contract it
 * takes along what these modules import; the rest goes with the pages that ask for it.
 */
const ui =
  /components\/(NativeSelect|Combobox\/ComboboxChevron)\/|\/web\/(main|routes)\.|\/web\/api\/(?!form\.|formVersions|editForm|merge|useDraft|oneField|change|rows|reading)|\/web\/session\/(?!Proof|SessionEnds|ViewingBanner|viewing\.)|\/web\/lists\/(?!ChooseOrganization|bar\/(FilterPanel|MenuPanel)|stories|ViewsMenu|views\.|OnlyLabel|organizationFilter\/|bulk\/|SaveView|ViewsPanel|operations\/([Dd]ock|labels|titles|progress|takeBack|followAll)|download\/|useWayBack)|\/web\/layout\/(?!topbar\/(useScrollStop|mega|notices\.|MegaPanel|[oO]rganizationPanel|NoticePanel|UserPanel|NoticeDays|noticeLabels)|shortcuts\/[Hh]elp|search\/|pages\/|demoMenu|OutboxNote|UnsavedGuard|HeldNotice|customizer\/(Panel|Preview|[Ss]ection|[Ll]anguage|use|\w+\.css))|\/web\/ui\/(?!choice|ClosedChoice|fields|Segments|FormLayout|MergeNote|SessionList|Lines|PlainTable|DataQuality|titles|Meaning|Steps|Strip|ShareBar|Tip|skins|KeyFigures|TodoList|Figure|Field|FormDialog|FileButton|Drawer|Switch|[sS]tanding|printing|DayField|Freshness|SecretInput|RadioChoices|More|Fold|KeptTime|RowMenuPanel|menuKeys)\w+\.tsx?$|\/web\/(ui\/(ShareBar|Strip|ink|twoLines)|transmissions\/FunnelShape)\.module\.css|\/contract\/devices\./

/**
 * A group takes along all that its modules import, unless a group before it has that already; so no file ever imports one
 * that comes after it. (Without, files import one another in a circle, and then a module is used before it has run.)
 * Neither public pages nor the video page may import `ui`, which starts the console: e2e/weight.long.e2e.ts weighs both.
 *
 * Left to the bundler alone, a list would be 200 to 227 kB in 61 to 93 files instead of 176 to 185 kB in 6 or 7; sharing by the number
 * of users (`minShareCount`, `entriesAware`) brings the console into the public pages (118 to 490 kB).
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
  { name: 'ui', test: new RegExp(`${ui.source}|${icons.source}`), priority: 3 },
  // What more than one form, dialog or dashboard uses, and no list.
  {
    name: 'parts',
    test: /\/web\/(api\/(oneField|changeLabels|changedBy|rows)|layout\/(OutboxNote|UnsavedGuard)|ui\/(Field|FormDialog|Drawer|Switch|printing))\./,
    priority: 2.8,
  },
  // What was sent, as bars, strips and words: on the list, on each transmission, and on dashboards.
  {
    name: 'sent',
    test: /\/web\/(ui\/(ShareBar|Strip)\.|transmissions\/((sent-)?labels|late|FunnelShape)\.)|\/contract\/(transmissions|obligation-labels)\./,
    priority: 2.5,
  },
  // Figures and how they went: dashboards, which have one file of their own beside the console's, and reports.
  {
    name: 'figures',
    test: /\/web\/(dashboard\/(DashboardPage|ProtectAccount|Installation|Totals|alerts|sections\/.*)\.|api\/reading\.|ui\/(Freshness|part|TodoList|plot\/(walk|Drawing|Sparkline|PlotTable|plot))\.)|\/contract\/(report-scope|report-figures|dashboard)\./,
    priority: 2.2,
  },
  // Large figures, each with what it means: of reports, and of no dashboard.
  { name: 'key-figures', test: /\/web\/ui\/(Figure|Meaning|KeyFigures)\./, priority: 2.15 },
  // Each recipient: on a transmission, beside a person, and where evidence is.
  {
    name: 'recipients',
    test: /\/web\/(transmissions\/deliveries|evidence\/labels|ui\/[sS]tandings?)\.|\/contract\/(deliveries|file-formats|training-labels)\.|\/icons\/IconMailOpened\./,
    priority: 2.1,
  },
  // Lists of which each organization has one of its own, for who sees several.
  {
    name: 'of-one',
    test: /\/web\/(lists\/(ChooseOrganization|organizationFilter\/OrganizationFilter)|ui\/ClosedChoice)\./,
    priority: 2.05,
  },
  { name: 'choice', test: /\/web\/ui\/choice\.|core\/esm\/components\/(Combobox|Select)\//, priority: 2 },
  {
    name: 'videos',
    test: /\/web\/(content\/(states|projects|uploadStore)|ui\/FileButton)\.|\/contract\/videos\./,
    priority: 1,
  },
  // On the page of a video and in the preview of the console; the words below the video count with it too.
  { name: 'recorder', test: /\/web\/recorder\/|\/contract\/track-limits\./, priority: 1 },
  {
    name: 'organizations',
    test: /\/web\/(organizations\/(RowActions|crumbs|states|useRemoval|columns|bulk\/bars)|people\/(RemoveUser|filters\/userSearch)|groups\/RemoveGroup)\.|\/contract\/overview\./,
    priority: 1,
  },
]
