# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::OverviewPageTest < Minitest::Test
  Overview = Holdup::Report::OverviewPage
  Blocks = Holdup::View::Blocks

  def sample = @sample ||= SampleWindows.new

  def answers(windows = sample.to_a, language = "en")
    store = Holdup::Store.open("memory:")
    store.commit(windows, {})
    query = Holdup::Web::PageQuery.new({}, now_s: sample.to_s)
    words = Holdup::View::Words.new(language, page: true)
    page = Overview.new(context: nil, store:, query:, words:)
    Blocks.flat(page.blocks).grep(Blocks::Facts).first.pairs
  end

  def test_says_whether_it_is_the_gvl_and_who_causes_it
    found = answers

    assert_match(/\AYes: \d+ % of the time is spent waiting for it\z/, found["Is it the GVL?"])
    cause = found["Who makes others wait?"]
    assert_match(/\AReportsController#sales: \d+ % of the GVL wait\z/, cause.text)
    assert_equal ["endpoint", "ReportsController#sales"], [cause.page, cause.params["unit"]]
  end

  def test_says_since_when_and_what_to_do
    found = answers

    assert_match(/\ASince the data begins, 20\d\d-/, found["Since when?"])
    assert_equal "ReportsController#sales: the main cause", found["Where to look next"].text
    assert_equal "captures", found["And then"].page
  end

  def test_a_quiet_application_is_told_that_it_is_not_the_gvl
    units = {"PagesController#home" => {ms: {cpu: 10, io: 90}, acquisitions: 3, units: 300, blame: 1}}
    found = answers(SampleWindows.new(units:, accounts: {}).to_a)

    assert_match(/\ANo: only 0 %/, found["Is it the GVL?"])
    assert_match(/\AIt was low at all times since /, found["Since when?"])
    assert_equal "requests", found["Where to look next"].page
  end

  def test_a_first_visit_is_told_what_the_data_can_say
    store = Holdup::Store.open("memory:")
    store.commit(sample.to_a, {})
    query = Holdup::Web::PageQuery.new({}, now_s: sample.to_s)
    page = Overview.new(context: Object.new, store:, query:, words: Holdup::View::Words.new("en", page: true))
    sections = Blocks.flat(page.blocks).grep(Holdup::View::Section)
    guide = sections.find { |section| section.title.start_with?("You have") }

    assert_equal "You have 3 min of data: what it can say already", guide.title
    assert_equal ["yes", "yes", "in 3 min", "in 2 h"], guide.rows.map(&:last)
    assert_equal %w[blame requests compare advice], guide.rows.map { |row| row.first.page }
  end

  def test_with_two_hours_of_data_no_guide_is_needed
    guide = Overview::Guide.new(7200, units: 1, words: Holdup::View::Words.new)

    assert_nil guide.section
  end

  MATRIX = "Who waits (rows) for whom (columns)"

  def page(windows = sample.stored, language = "en")
    store = Holdup::Store.open("memory:")
    store.commit(windows, {})
    query = Holdup::Web::PageQuery.new({}, now_s: sample.to_s)
    Overview.new(context: nil, store:, query:, words: Holdup::View::Words.new(language, page: true))
  end

  def test_begins_with_the_answer_the_picture_and_the_table
    answer, pictures, table, fold = page.blocks

    assert_equal [Blocks::Lead, Blocks::Split, Blocks::Notes], answer.main.map(&:class)
    assert_equal [Blocks::Action], answer.side.map(&:class)
    assert_equal %w[waiting], pictures.main.first.names.keys
    assert_equal [MATRIX], pictures.side.map(&:title)
    assert_equal Overview::TOP, table.rows.size
    assert_instance_of Blocks::Fold, fold
  end

  def test_says_what_to_do_first_and_where_to_look
    action = page.blocks.first.side.first

    assert_match(/holds the GVL for long/, action.what)
    slowest, what_if = action.links
    assert_equal ["endpoint", "ReportsController#sales"], [slowest.page, slowest.params["unit"]]
    assert_equal "advice", what_if.page
    assert_includes action.copy, "**#{action.what}** #{action.text}"
    assert_includes action.copy, "caused"
  end

  # The lock takes more time than the stall.
  def test_what_to_do_first_is_about_what_the_page_says_first
    shape = {acquisitions: 6, units: 100}
    units = {"Reports#sales" => {**shape, ms: {cpu: 100, stalled: 5}, blame: 80},
             "Carts#update" => {**shape, ms: {cpu: 2, stalled: 40, lock: 90}, blame: 1}}
    windows = SampleWindows.new(units:, accounts: {}).stored
    found = page(windows).blocks.first

    assert_match(/\AReports#sales /, found.main.first.text)
    assert_match(/\AReports#sales holds the GVL for long/, found.side.first.what)
  end

  def test_an_average_request_is_one_bar_with_its_time
    split = page.blocks.first.main.grep(Blocks::Split).first

    assert_match(/\AAn average request takes [\d.]+ ms\z/, split.title)
    assert split.brief
    assert_match(/\AGVL wait [\d.]+ ms\z/, split.bar.text_on(:stalled))
    assert_nil split.bar.text_on(:native), "it has no room"
    assert_match(/\A平均的なリクエスト：/, page(sample.stored, "ja").blocks.first.main[1].title)
  end

  def test_where_nothing_is_to_do_nothing_stands_beside_the_answer
    units = {"PagesController#home" => {ms: {cpu: 10, io: 90}, acquisitions: 3, units: 300, blame: 1}}
    answer, pictures, = page(SampleWindows.new(units:, accounts: {}).to_a).blocks

    assert_empty answer.side
    assert_equal %w[busy], pictures.main.first.names.keys
    assert_empty pictures.side
  end

  def test_waits_that_do_not_matter_are_not_shown
    shape = {ms: {cpu: 10, stalled: 0.3, io: 90}, acquisitions: 3, units: 300, blame: 1}
    windows = SampleWindows.new(units: {"A#a" => shape, "B#b" => shape}, accounts: {}).stored

    assert_empty page(windows).blocks[1].side
  end

  def matrix(windows)
    store = Holdup::Store.open("memory:")
    store.commit(windows, {})
    query = Holdup::Web::PageQuery.new({}, now_s: sample.to_s)
    page = Overview.new(context: nil, store:, query:, words: Holdup::View::Words.new("en", page: true))
    Blocks.flat(page.blocks).grep(Holdup::View::Section).find { |section| section.title == MATRIX }
  end

  def test_who_waited_for_whom_is_there_with_links
    found = matrix(sample.stored)

    assert_equal Overview::VICTIMS, found.rows.size
    first = found.rows.first.first
    assert_equal ["endpoint", "OrdersController#index"], [first.page, first.params["unit"]]
    assert_equal ["others", "hand-off", "all"], found.columns.last(3)
  end

  # Readers are looking for whom it harms, and for what is worth a change.
  def test_the_matrix_has_requests_before_threads_and_only_columns_that_matter
    shape = {acquisitions: 6, units: 100, ms: {cpu: 20, stalled: 10}}
    units = {"A#a" => {**shape, blame: 100}, "B#b" => {**shape, blame: 50}, "C#c" => {**shape, blame: 1}}
    found = matrix(SampleWindows.new(units:, accounts: {"main" => 9.0}).stored)

    names = found.rows.map { |row| row.first.to_s }
    assert_equal ["A#a", "B#b", "C#c"], names.first(3).sort
    assert_equal ["(thread) main"], names.drop(3)
    assert_equal ["waited", "A#a", "B#b", "others", "hand-off", "all"], found.columns
  end

  def test_a_deploy_of_the_web_server_and_of_the_job_runner_is_one_mark
    settings = [{"server" => "puma"}, {"jobs" => "sidekiq"}].product(%w[5e1c7d0 b27f94a])
    windows = settings.flat_map do |facts, revision|
      later = (revision == "5e1c7d0") ? 0 : 60
      SampleWindows.new(minutes: 1, setting: {"app" => "shop", **facts, "revision" => revision}).stored
        .map { |window| window.with(start_s: window.start_s + later) }
    end

    assert_equal ["deployed: revision 5e1c7d0 -> b27f94a"],
      page(windows).charts.fetch("waiting").marks.map(&:label)
  end

  def test_without_pairs_there_is_no_matrix
    assert_nil matrix(sample.to_a)
    shape = {ms: {cpu: 10, stalled: 5}, acquisitions: 3, units: 300, blame: 1}
    alone = SampleWindows.new(units: {"A#b" => shape},
      accounts: {}, minutes: 3)
    assert_equal 1, matrix(alone.stored).rows.size
  end

  def test_is_whole_in_japanese
    assert_equal %w[GVL\ が原因か 待たせているのは いつからか 次に見るところ その次に見るところ], answers(sample.to_a, "ja").keys
  end
end

class Holdup::Report::OverviewPage::StallOnsetTest < Minitest::Test
  Series = Data.define(:at_s, :stalled) do
    def shares = {stalled:}
  end

  def onset(*stalled)
    series = Series.new(at_s: stalled.each_index.map { |step| step * 60 }, stalled:)
    found = Holdup::Report::OverviewPage::StallOnset.new(series).call
    [found.key, found.at_s]
  end

  def test_stall_that_was_always_there_began_with_the_data_or_earlier
    assert_equal [:start, 0], onset(0.2, 0.3, 0.25)
    assert_equal [:start, 60], onset(nil, 0.2, 0.3, nil)
  end

  def test_stall_that_rose_has_a_moment
    assert_equal [:rose, 120], onset(0.01, 0.02, 0.2, 0.3)
    assert_equal [:rose, 120], onset(0.08, 0.08, 0.5, 0.6, 0.55)
  end

  def test_stall_that_ended_and_that_never_was
    assert_equal [:ended, 60], onset(0.0, 0.3, 0.0, 0.0, 0.0)
    assert_equal [:never, 0], onset(0.0, 0.01)
    assert_equal [:never, nil], onset(nil)
  end
end
