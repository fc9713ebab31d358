# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "shellwords"

class Holdup::Report::ReportScreenTest < Minitest::Test
  include ExampleUnits

  LONG = "Admin::Reporting::Quarterly::RevenueRecognitionExceptionsController" \
    "#recalculate_everything_for_all_tenants"
  HOSTILE = "it's \"quoted\" [x] `id` $(id) *"
  JAPANESE = "四半期売上レポート集計および再計算ジョブ（全テナント対象・再試行あり）"
  MANY_FACTS = Array.new(40) { |index| "option_#{index} #{LONG} -> 値#{index}" }.join(", ")
  DIFFERENCE = Holdup::Analysis::SettingDifferences::SettingDifference

  # @param width [Integer] of the terminal
  # @return [String] as a terminal without colours shows it
  def screen(windows = SampleWindows.new.to_a, language: "en", width: 80, by: :name, filter: {},
    holding_methods: [], calls: [], pairs: [], connection_pairs: [], slowest: nil, **options)
    filter = Holdup::Analysis::UnitFilter.new(**filter)
    summary = Holdup::Analysis::Summary.new(windows, from_s: SampleWindows::START_S,
      to_s: SampleWindows::START_S + 180, by:, holding_methods:, calls:, pairs:, connection_pairs:, slowest:,
      filter:)
    made = Holdup::Report::ReportScreen.new(summary, words: Holdup::View::Words.new(language), zone: "UTC",
      **options)
    console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new,
      env: {"COLUMNS" => width.to_s}, clock: nil)
    Holdup::CLI::Formats.screen(made, console:)
  end

  def one(states, name: "A#b", **options)
    shape = {ms: states, acquisitions: 4, units: 300, blame: 1}
    SampleWindows.new(units: {name => shape}, minutes: 1, **options).to_a
  end

  def change(differences, at_s: SampleWindows::START_S + 60, server: "puma")
    facts = differences.map { |key, sides| DIFFERENCE.new(subject: key, facts: {key => sides}) }
    Holdup::Analysis::SettingChanges::SettingChange.new(at_s:, server:, differences: facts)
  end

  # Sixty names, of several kinds and settings, and everything that is said besides at its longest.
  def hostile
    names = (1..30).flat_map { |index| ["#{LONG}_#{index}", "#{JAPANESE}#{index}"] }
    units = names.each_with_index.to_h do |name, index|
      [name, {ms: {cpu: index % 7 + 1, starved: 2, stalled: 9, io: 5, lock: 3, sleep: 2, native: 1},
              acquisitions: 4, units: 6, blame: index + 1}]
    end
    settings = [{"threads" => 3, "app" => JAPANESE},
      {"threads" => 5, "app" => LONG, "jit_options" => MANY_FACTS}]
    settings.flat_map do |setting|
      SampleWindows.new(units:, minutes: 1, setting:, accounts: {LONG => 0.2, JAPANESE => 0.1}).to_a
    end
  end

  def surroundings
    {changes: Array.new(9) { |index| change({MANY_FACTS => [[index], [JAPANESE]]}, server: LONG) },
     drifts: Array.new(5) { "#{JAPANESE * 20}。" },
     remarks: Array.new(5) { "#{LONG} " * 20 },
     again: again("--since", "3h", "--store", "/var/lib/#{"holdup/" * 5}store.sqlite3",
       "--app", JAPANESE[0, 30], "--host", "web-*", "--name", "#{JAPANESE[0, 20]}*")}
  end

  # What the next commands take of the options of a report.
  def again(*argv)
    given = Holdup::Report::Command::OPTIONS.parse(argv, now_s: 0)
    given.for_commands(Holdup::Report::ReportScreen::NextCommands::COMMANDS)
  end

  # @return [Hash{Symbol => Array<Holdup::Window>}] a method sample and calls of each name, which last and
  #   stall long
  def places(names)
    sample = SampleWindows.new
    ms = {wall: 90, idle: 1, running: 9, stalled: 80}
    histograms = ms.transform_values { |one| Holdup::Histogram.of([one * 1_000_000] * 40_000) }
    holding_methods = names.map do |name|
      sample.window(name, kind: :method, queue: "app/models/#{name}.rb:41 Report#rows", count: 1,
        sums: {caused_ns: 9})
    end
    calls = names.map do |name|
      sample.window(name, kind: :call, queue: "sql main", count: 40_000, histograms:)
    end
    {holding_methods:, calls:}
  end

  def test_methods_under_causes_and_calls_under_victims
    text = screen(**places(SampleWindows::STOREFRONT.keys))
    assert_match(/^ReportsController#sales .*\n  100 % of it in Report#rows \(app/, text)
    assert_match(/^OrdersController#index +\d.*\n  100 % of it in 133 calls \(SQL main\): /, text)
    assert_equal [3, 3], [/in Report#rows/, /\(SQL main\)/].map { |place| text.scan(place).size }
    assert_operator text.lines.size, :<=, 39
  end

  one_ruby def test_a_remark_matters_more_than_that_nothing_has_changed
    text = screen(**places(SampleWindows::STOREFRONT.keys), remarks: ["#{LONG} " * 3] * 3)
    assert_match(/^! Admin::Reporting/, text)
    refute_includes text, "No setting and no revision changed in this time."
    assert_includes screen, "No setting and no revision changed in this time."
    assert_operator text.lines.size, :<=, 39
  end

  def test_says_first_whom_the_requests_of_one_name_waited_for
    sample = SampleWindows.new
    text = screen(sample.to_a, pairs: sample.pairs, filter: {name: "OrdersController#index"},
      **places(["ReportsController#sales"]))
    start = "They waited for ReportsController#sales (Report#rows, ReportsController#sales.rb:41): it held "
    assert_includes text.lines.drop(1).first(4).join.tr("\n", " "), start
  end

  def test_says_it_after_a_verdict_about_something_else
    shape = {acquisitions: 4, units: 100}
    units = {"A#b" => {ms: {cpu: 10, stalled: 9, lock: 60}, blame: 1, **shape},
             "C#d" => {ms: {cpu: 50, stalled: 1}, blame: 9, **shape}}
    sample = SampleWindows.new(units:, minutes: 1)
    text = screen(sample.to_a, pairs: sample.pairs, filter: {name: "A#b"}).tr("\n", " ")
    sentence = /In 8\d % of the time that they waited for the GVL, C#d held it\. /
    assert_match(/waiting for locks .*- #{sentence}/, text)
    refute_match(/In 8\d % of the time/, screen(sample.to_a, pairs: sample.pairs))
  end

  # @param links [Integer] how many waits the chain of the slowest one has
  def slowest(links = 1)
    slow = slow_unit(0, stalled_ns: 90 * MS, parts: [[:pair, "Sales#report", 80 * MS]])
    chain = Holdup::Analysis::WaitChain.of(slow, [])
    query = Holdup::Queries::SlowestUnitsQuery
    explained = query::ExplainedUnit.new(slow:, chain: chain.with(links: chain.links * links))
    query::KeptUnits.new(units: [explained], from_s: SampleWindows::START_S, whole: true)
  end

  def test_says_why_the_slowest_of_one_name_was_slow
    found = [screen(slowest:, filter: {name: "OrdersController#index"}), screen(slowest:)]
    told, untold = found.map { |text| text.tr("\n", " ").squeeze(" ") }
    line = /The slowest one: 20\S+ [\d:]+ \S+, 118 ms: Waited 90.0 ms for the GVL: Sales#report held/
    assert_match(line, told)
    refute_match(/slowest one/, untold, "of several names it says little")
  end

  def test_has_no_more_of_the_chain_than_fits
    text = screen(slowest: slowest(5), filter: {name: "OrdersController#index"}).tr("\n", " ").squeeze(" ")
    assert_equal 1, text.scan("In that minute A#b waited 90.0 ms on average").size
    refute_includes text, "…"
  end

  def test_says_the_slowest_in_japanese
    text = screen(slowest:, filter: {name: "OrdersController#index"}, language: "ja")
    assert_includes text, "最も遅かったもの："
  end

  # The screen itself has the table of who keeps the connections.
  def test_asks_whom_waits_for_connections_were_for_where_it_was_measured
    sample = SampleWindows.new(setting: {"db_pool" => 1})
    waits = {pool_wait_ns: 40_000_000, sleep_ns: 40_000_000}
    waiting = sample.window("Stock#show", count: 1, sums: waits,
      histograms: {wall: Holdup::Histogram.of([50_000_000])})
    pair = sample.window("Stock#show", kind: :pool_pair, queue: "RefillJob",
      sums: waits.slice(:pool_wait_ns))
    assert_includes screen([waiting], connection_pairs: [pair]), "holdup report --table pool_pairs"
    assert_includes screen([waiting]), "holdup report --table connections"
  end

  def test_asks_for_the_methods_where_samples_name_them
    sample = SampleWindows.new
    place = "app/models/sales_report.rb:41 SalesReport#rows"
    method = sample.window("ReportsController#sales", kind: :method, queue: place, count: 1,
      sums: {caused_ns: 9})
    assert_includes screen(sample.to_a, holding_methods: [method]), "holdup report --table methods"
    refute_includes screen(sample.to_a), "--table methods"
  end

  one_ruby def test_fits_on_a_screen_whatever_the_names_and_the_remarks
    windows = hostile
    found = places(windows.map { |window| window.series.name }.uniq)
    {["en", 80] => :name, ["ja", 80] => :name, ["en", 120] => :host, ["ja", 120] => :queue,
     ["ja", 200] => :setting}.each do |(language, width), by|
      text = screen(windows, language:, width:, by:, **surroundings, **found)
      assert_operator text.lines.size, :<=, 39, text
      text.each_line(chomp: true) do |line|
        assert_operator Holdup::View::Width.of(line), :<=, width, "#{language}, #{by}: #{line}"
      end
    end
  end

  def test_the_verdict_the_bar_and_whom_to_look_at_come_first
    text = screen
    headings = ["ReportsController#sales (10.8 %", "Where the time goes", "Who made others wait most",
      "Who waited most for the GVL", "What changed", "What to do next"]
    assert_equal headings, headings.sort_by { |heading| text.index(heading) }
    assert_match(/^[#!x~=z+]{80}\n# cpu [\d.]+ %  ! starved [\d.]+ %  x GVL wait /, text)
    assert_match(/^ReportsController#sales +7\d % +[\d.]+ s /, text)
    assert_match(/^OrdersController#index +5\d\.\d ms +6\d %/, text)
  end

  def test_asks_for_one_application_where_there_are_several
    windows = %w[shop admin].flat_map { |app| SampleWindows.new(minutes: 1, setting: {"app" => app}).to_a }
    text = screen(windows)
    assert_match(/^  holdup report --app (shop|admin)  # one application alone$/, text)
    refute_includes text, "holdup compare"
  end

  # Where one sentence fits, it is the one that changes how all figures are read.
  def test_says_first_that_the_figures_mix_applications
    windows = %w[shop admin].flat_map { |app| SampleWindows.new(minutes: 1, setting: {"app" => app}).to_a }
    summary = Holdup::Analysis::Summary.new(windows, from_s: SampleWindows::START_S,
      to_s: SampleWindows::START_S + 180)
    made = Holdup::Report::ReportScreen.new(summary, changes: [change({"threads" => [[3], [5]]})],
      remarks: ["Another remark."])
    text = Holdup::View::Text.new(made.page(1)).call
    assert_includes text.tr("\n", " "), "These figures mix requests and jobs of 2 applications"
    refute_includes text, "Another remark."
  end

  def test_three_causes_and_three_victims
    rows = ->(title) { screen[/^#{title}\n.*\n((?:.+\n)+)/, 1].lines.size }
    assert_equal 3, rows.call("Who made others wait most")
    assert_equal 3, rows.call("Who waited most for the GVL")
  end

  def test_the_handoff_can_be_a_cause
    assert_match(/^\(hand-off: no holder\) +60 % /, screen(SampleWindows.new(handoff: 0.6).to_a))
  end

  def test_names_whose_units_wait_for_something_else_than_the_gvl
    %i[lock sleep native io cpu starved].each do |state|
      text = screen(one({:cpu => 1, :stalled => 0, state => 90}))
      assert_match(/^Who spent most time in #{state}\n.*\nA#b +\S+ ms +(9\d|100) %/, text)
      refute_includes text, "Who waited most for the GVL"
    end
  end

  def test_rows_of_what_is_asked_for
    text = screen(by: :host)
    assert_match(/^Load, time and GVL wait\nhost +count +\/s +p95 .*\nweb-1 +2,220 /, text)
    assert_includes text, "Who made others wait most"
    refute_includes text, "Who waited most for the GVL"
  end

  def test_what_changed_comes_with_its_time_newest_first
    changes = [change({"threads" => [[3], [5]]}),
      change({"jit" => [["none"], ["yjit"]]}, at_s: SampleWindows::START_S + 120)]
    text = screen(changes:, drifts: ["puma: faster."])
    assert_includes text, "What changed\n- 2026-09-21 14:16 puma: jit none -> yjit\n" \
      "- 2026-09-21 14:15 puma: threads 3 -> 5\n- puma: faster.\n"
    assert_includes screen, "- No setting and no revision changed in this time.\n"
  end

  def test_remarks_are_shortened_but_not_hidden_while_there_is_room
    assert_match(/^! Few requests \(300\)|^! Measurements are kept/, screen(one({cpu: 1})))
    assert_match(/^! Admin::Reporting.*…/m, screen(one({cpu: 1}), remarks: ["#{LONG} " * 20]))
  end

  def test_without_data_it_says_what_to_do
    text = screen([])
    assert_match(/No data on requests and jobs.*^  holdup doctor  # /m, text)
    refute_includes text, "Where the time goes"
  end

  def test_colours_only_add
    summary = Holdup::Analysis::Summary.new(SampleWindows.new.to_a, from_s: SampleWindows::START_S,
      to_s: SampleWindows::START_S + 180)
    page = Holdup::Report::ReportScreen.new(summary).page
    plain, painted = [false, true].map { |on|
      Holdup::View::Text.new(page, style: Holdup::View::Drawing::Style.new(on)).call
    }
    assert_equal plain, painted.gsub(/\e\[\d+m/, "")
    refute_includes plain, "\e"
  end

  # @return [Array<Array<String>>] words of each command, as a shell reads them
  def commands(text)
    joined = text[/^(?:What to do next|次にすること)\n((?:  .*\n)+)/, 1].gsub(/ \\\n */, " ")
    joined.lines.map(&:strip).select { |line| line.start_with?("holdup ") }.map { |line|
      Shellwords.split(line.sub(/ +# .*/, ""))
    }
  end

  def test_every_command_can_be_pasted
    again = again("--since", "3h", "--store", "/tmp/a b.sqlite3", "--host", "web-*")
    stalling = {cpu: 1, stalled: 9}
    samples = [SampleWindows.new.to_a, hostile, one({cpu: 1, lock: 90}), one({cpu: 90}),
      one({starved: 90, cpu: 1}), one(stalling, name: HOSTILE), one(stalling, kind: :job), []]
    samples.each do |windows|
      found = commands(screen(windows, again:))
      assert_includes 1..3, found.size
      found.each { |program, command, *arguments| assert_takes(program, command, arguments) }
    end
  end

  def assert_takes(program, command, arguments)
    assert_equal "holdup", program
    clock = CommandLine::Still.new(now_s: SampleWindows::START_S)
    console = Holdup::CLI::Console.new(out: nil, err: nil, env: {}, clock:)
    taken = Holdup::CLI::Registry.fetch(command).command.parse(arguments, console)
    refute taken.key?(:help), arguments.inspect
  end

  def test_the_command_about_the_cause_matches_its_name
    units = {HOSTILE => {ms: {cpu: 9, stalled: 1}, acquisitions: 2, units: 50, blame: 99},
             "A#b" => {ms: {cpu: 1, stalled: 9}, acquisitions: 2, units: 50, blame: 1}}
    command = commands(screen(SampleWindows.new(units:).to_a)).find { |words| words.include?("--name") }
    glob = command[command.index("--name") + 1]
    assert File.fnmatch(glob, HOSTILE, File::FNM_EXTGLOB), glob
  end
end
