# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "zlib"

class Holdup::View::KeptAdviceTest < Minitest::Test
  View = Holdup::View
  Blocks = View::Blocks
  AdviceQuestion = View::KeptAdvice::AdviceQuestion
  NOW_S = 1_790_000_000

  def command(*words) = Blocks::ShellCommand.new(words:, purpose: "try it")

  # With every kind of value that a page may have.
  def page
    @page ||= begin
      axis = View::Chart::Axis.new(unit: :count, values: [1, 2.5])
      chart = View::Chart.new(kind: :line, unit: :ns, x: axis,
        series: [View::Chart::Line.new(label: "2 processes", values: [nil, 3.25])],
        points: [View::Chart::Point.new(x: 1, y: 2)], marks: [View::Chart::Mark.new(at: 1, label: "")])
      link = Blocks::Link.new(text: "A#b", page: "endpoint", params: {"name" => "A#b"})
      rows = [[link, Blocks::Bar.new(parts: {running: 0.25, io: 0.75}, label: "running 25 %")]]
      View::Page.new(title: "Advice \u00e9", blocks: [
        Blocks::InlineCharts.new(charts: {"p95" => chart}),
        View::Section.new(title: "", columns: [Blocks::Column.new(text: "name", words: true), "time"], rows:),
        Blocks::Commands.new(title: "Next", items: [command("holdup advise --since 24h")]),
        Blocks::Facts.new(title: "Limits", pairs: {"vCPUs" => "2"})
      ])
    end
  end

  def advice_page
    View::KeptAdvice::AdvicePage.new(title: "Advice", answer: page.blocks, grounds: [], self_test: nil)
  end

  def kept(screens: [page.with(blocks: []), page], at_s: NOW_S - 60)
    pages = {"en" => advice_page, "ja" => advice_page}
    View::KeptAdvice.new(at_s:, took_s: 8, json: "{}\n", screens: {"en" => screens, "ja" => screens},
      reports: pages, answers: pages)
  end

  def test_a_text_gives_back_what_it_was_made_of
    text = kept.to_s
    assert_predicate text, :ascii_only?
    assert_equal kept, View::KeptAdvice.parse(text)
  end

  def test_a_value_that_no_page_has_can_not_be_kept
    error = assert_raises(ArgumentError) { kept(screens: [page.with(title: Object.new)]).to_s }
    assert_equal "Object can't be kept", error.message
  end

  # @param json [String] what somebody wrote to the store
  def parse(json) = View::KeptAdvice.parse([Zlib.gzip(json)].pack("m0"))

  def test_a_text_of_nobody_is_no_advice
    sound = View::KeptAdvice::StoredBlocks.dump(kept)
    assert_equal kept, parse(sound)
    assert_nil View::KeptAdvice.parse("")
    assert_nil View::KeptAdvice.parse("not base64")
    assert_nil View::KeptAdvice.parse([Zlib.gzip(sound)[0..-9]].pack("m0"))
    ["", "[", "null", "1", "{}", '{"Kernel":["true"]}', '{"Page":["a"]}', '{"Page":["a",[],[]]}', '{":":1}',
      '{"{":[1]}', '{"{":"a"}'].each { |json| assert_nil parse(json), json }
  end

  def test_only_commands_of_ours_are_shown
    sound = ["holdup whatif --load x1.5", "--store postgres://u@db/x", "--name 'A b*'", "--slo p95=300ms"]
    assert View::KeptAdvice.parse(kept(screens: [with_command(*sound)]).to_s)
    ["rm -rf x", "holdup exec -- sh", "holdup doctor; rm x", "holdup doctor `x`", "holdup doctor\nrm x",
      "holdup report $(x)", "holdup report 'a' > x"].each do |word|
      assert_nil View::KeptAdvice.parse(kept(screens: [with_command(word)]).to_s), word
    end
    assert_nil View::KeptAdvice.parse(kept(screens: [with_command("holdup doctor", "&& x")]).to_s)
  end

  def with_command(*words)
    page.with(blocks: [Blocks::Commands.new(title: "", items: [command(*words)])])
  end

  def test_says_how_old_it_is_and_gives_commands_the_options_of_the_reader
    words = View::Words.new
    screen = kept.screen(words, now_s: NOW_S, options: {"--store" => "a b.sqlite3"})
    assert_equal 1, screen.spare
    said = "Computed 60 s ago, in 8 s, and kept in the store; `--fresh` computes it anew."
    assert_equal [said], screen.page.about
    assert_empty screen.page(0).blocks
    commands = screen.page.blocks.grep(Blocks::Commands).first.items
    assert_equal ["holdup advise --since 24h --store 'a b.sqlite3'"], commands.map(&:to_s)
    report = kept.report(View::Words.new("ja"), now_s: NOW_S)
    assert_equal page.blocks, report.blocks
    assert_match(/60 秒前/, report.about.first)
  end

  def question(kind: :request, seconds: 86_400, objective: Holdup::Sizing::Objective.new, **others)
    AdviceQuestion.of(kind:, span: NOW_S - seconds..NOW_S, objective:, **others)
  end

  def test_another_question_has_another_key
    slo = Holdup::Sizing::Slo.new(limit_ns: 1)
    prices = Holdup::Sizing::CheapestFleet::FleetPrices.new(vcpu_hour: 1.0, gb_hour: 1.0)
    others = [{kind: :job}, {seconds: 86_401}, {objective: Holdup::Sizing::Objective.new(:cost)},
      {objective: Holdup::Sizing::Objective.new(slo:)}, {prices:}, {host: "web-1"}, {factor: 1.5},
      {host: "web-1", app: "shop"}]
    keys = others.map { |other| question(**other).key }
    assert_equal others.size + 1, [question.key, *keys].uniq.size
    assert_equal question.key, question(host: nil).key
    assert_equal question(host: "a", app: "b").key, question(app: "b", host: "a").key
    assert_operator keys.map(&:size).max, :<=, 100
  end

  # @return [Boolean] whether an answer of that age is shown
  def shown?(age_s, seconds: 86_400)
    store = Holdup::Store.open("memory:")
    asked = question(seconds:)
    at_s = NOW_S - age_s
    store.keep_answer(Holdup::Store::KeptAnswer.new(question: asked.key, at_s:, text: kept(at_s:).to_s))
    !asked.find(store, NOW_S).nil?
  end

  def test_an_answer_is_shown_for_an_hour_of_a_day
    assert_equal [true, true, true, false], [-60, 0, 3456, 3457].map { |age_s| shown?(age_s) }
    refute shown?(-61), "of a clock that is wrong"
    month_s = 30 * 86_400
    assert_equal [true, false], [103_680, 103_681].map { |age_s| shown?(age_s, seconds: month_s) }
    assert_operator month_s / View::KeptAdvice::MOST_AGE, :<, Holdup::Store::KeptAnswer::KEEP_S
  end

  def test_it_is_due_again_in_half_of_that_time
    store = Holdup::Store.open("memory:")
    assert_equal 0, question.due_s(store)
    store.keep_answer(Holdup::Store::KeptAnswer.new(question: question.key, at_s: NOW_S, text: ""))
    assert_equal NOW_S + 1728, question.due_s(store)
    assert_nil question.find(store, NOW_S), "nothing was recorded"
  end
end
