# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/capture/archive"

class TimelineTest < Minitest::Test
  include CommandLine

  MS = 1_000_000

  def test_the_whole_capture
    with_capture do |file|
      said = holdup("timeline", file, "--full")
      assert_equal [0, ""], [said.status, said.err]
      beginning = /\Apid 7, 2026-09-21 .* UTC: /
      middle = /200 ms, 14 events of 3 threads, 2 requests\nand jobs\n\n/
      ending = /Requests and jobs waited 96\.0 ms for the GVL: 90\.0 ms \(93\.8 %\) for GET \/hog\.\n/
      assert_match(/#{beginning}#{middle}#{ending}/, said.out)
      assert_match(/^GET \/hog +90\.0 ms  93\.8 %      1 /, said.out)
      assert_match(/^\(hand-off, no holder\) +3\.00 ms   3\.1 %/, said.out)
      assert_match(/^GET \/light +1 +104 ms +7\.00 ms +92\.0 ms .* GET \/hog \(97\.8 %\)$/, said.out)
    end
  end

  def test_one_screen_of_a_real_capture_and_all_of_it
    file = File.expand_path("../../../fixtures/storefront.holdup-capture", __dir__)
    %w[en ja].each do |language|
      screen = holdup("timeline", file, "--lang", language, env: {"COLUMNS" => "80"}).out
      assert_operator screen.lines.size, :<=, 39, screen
      full = holdup("timeline", file, "--lang", language, "--full", env: {"COLUMNS" => "80"}).out
      assert_operator full.lines.size, :>, screen.lines.size
    end
  end

  def test_the_story_on_one_screen_is_a_waterfall_of_the_main_periods
    with_capture do |file|
      whole = holdup("timeline", file).out
      assert_match(/^GET \/light \(id 1\): what took its time$/, whole, "the one with the longest wait")
      story = holdup("timeline", file, "--unit", "1").out
      [whole, story].each do |said|
        assert_match(/^\+9\.00 ms  92\.0 ms {5,7}x{44,46}\n  waited for GET \/hog$/, said)
        assert_match(/^ +12\.0 ms\n  3 other periods: ran 7\.00 ms, waited 0, idle 5\.00 ms$/, said)
      end
      refute_includes story, "+101 ms", "shorter than a twentieth"
    end
  end

  # Whatever the names, and however many periods are long.
  def test_a_screen_has_at_most_40_lines
    %w[en ja].each do |language|
      many_long_periods do |file|
        [[], %w[--unit 1]].each do |more|
          text = holdup("timeline", file, *more, "--lang", language, env: {"COLUMNS" => "80"}).out
          assert_operator text.lines.size, :<=, 40, text
          waterfall = text[/^(?:at|開始) .*?(?=^ {10,}\S)/m]
          refute_includes waterfall, "…", "no name is cut"
        end
      end
    end
  end

  def test_the_screen_ends_with_commands_that_can_be_pasted
    with_capture do |file|
      screen = holdup("timeline", file, env: {"COLUMNS" => "80"}).out
      joined = screen[/^What to do next\n(.*)/m, 1].gsub(/ \\\n */, " ")
      commands = joined.lines.grep(/^  holdup/).map { |line| line.sub(/  # .*/, "").split.drop(2) }
      export = %w[--export perfetto --out capture.pftrace]
      assert_equal [[file, "--unit", "1", "--full"], [file, *export]], commands
      commands.each { |arguments| assert_equal 0, within(file) { holdup("timeline", *arguments).status } }
      refute_includes holdup("timeline", file, "--full").out, "What to do next"
    end
  end

  def within(file, &) = Dir.chdir(File.dirname(file), &)

  def test_the_story_of_one_unit_by_its_number_or_as_the_slowest
    with_capture do |file|
      said = holdup("timeline", file, "--unit", "1", "--full").out
      beginning = /\AGET \/light \(id 1\) on thread srv 2, .*\n\n/
      ending = /GET \/light took 104 ms, 92\.0 ms waiting for the GVL: 90\.0 ms \(97\.8 %\) for\nGET \/hog\./
      assert_match(/#{beginning}#{ending}/, said)
      assert_includes said.gsub(/\s+/, " "),
        "+9.00 ms 92.0 ms waited for GET /hog (thread srv 1) 90.0 ms, the hand-off 2.00 ms +101 ms"
      assert_match(/\AGET \/hog \(id 2\).*\n\nGET \/hog took 145 ms, and held the GVL itself for 140 ms\.\n/,
        holdup("timeline", "--unit", "slowest", file).out)
    end
  end

  def test_methods_where_the_capture_has_stacks
    with_capture(stacks: true) do |file|
      said = holdup("timeline", file, "--full").out
      assert_includes said.gsub(/\s+/, " "),
        "Requests and jobs waited 96.0 ms for the GVL: 90.0 ms (93.8 %) for GET /hog, 100 % of it in " \
        "Report#crunch " \
        "(app/models/report.rb:13)."
      assert_match(/^Report#crunch \(app\/models\/report\.rb:12\) +GET \/hog +90\.0 ms +93\.8 % +140 ms +0$/,
        said)
      assert_match(/^  The method is known for 93\.8 % of all waiting\. Taking 1 stack cost /, said)
      story = holdup("timeline", file, "--unit", "1", "--full").out
      assert_includes story.gsub(/\s+/, " "),
        "For 97.8 % of its waiting, Holdup knows what ran meanwhile: Report#crunch " \
        "(app/models/report.rb:13) 90.0 ms."
      assert_includes story.gsub(/\s+/, " "),
        "waited for GET /hog (thread srv 1) 90.0 ms, 100 % of it in Report#crunch " \
        "(app/models/report.rb:13), the hand-off"
    end
    with_capture { |file|
      refute_match(/What ran/, holdup("timeline", file).out + holdup("timeline", file, "--unit", "1").out)
    }
  end

  def test_in_japanese
    with_capture do |file|
      assert_match(/^GET \/light は 104 ms のうち 92\.0 ms が GVL 待ちで、うち 90\.0 ms（97\.8 %）は$/,
        holdup("timeline", file, "--unit", "1", "--lang", "ja").out.lines[2])
      assert_match(/スレッドが待つ間の GVL の保持者/, holdup("timeline", file, "--lang", "ja").out)
    end
  end

  def test_all_of_it_for_another_viewer
    with_capture do |file|
      said = holdup("timeline", file, "--export", "json")
      assert_equal [0, ""], [said.status, said.err]
      assert_equal ["GET /light", "GET /hog"].sort,
        JSON.parse(said.out)["units"].map { |unit| unit["name"] }.sort
      out = File.join(File.dirname(file), "trace.pftrace")
      assert_equal [0, ""],
        holdup("timeline", file, "--export", "perfetto", "--out", out).then { |done| [done.status, done.out] }
      assert_includes PerfettoTrace.new(File.binread(out)).slices.map(&:name), "GET /hog"
      assert_match(/can't be written .*; name another with --out/,
        holdup("timeline", file, "--export", "json", "--out", "/none/x").err)
    end
  end

  def test_an_export_has_no_control_characters
    ring = EventRing.new(names: ["GET /\u009b31m\u202e\e"]).running(2).begins(1, 2, 1 * MS).ends(1, 2,
      5 * MS, name: "GET /\u009b31m\u202e\e")
    Dir.mktmpdir do |folder|
      said = holdup("timeline", Holdup::Capture::Archive.new(folder).add(ring.bytes(to: 9 * MS), Time.at(0)),
        "--export", "json")
      assert_equal ["GET /?31m?\e"], JSON.parse(said.out)["units"].map { |unit| unit["name"] }
      refute_match(/[\p{Cc}\u202e]/, said.out.chomp)
    end
  end

  def test_an_export_that_can_not_be
    with_capture do |file|
      wrong = [%w[--export perfeto], %w[--export json --unit 1], %w[--out x.json], %w[--export]].map { |given|
        holdup("timeline", file, *given)
      }
      assert_equal [2], wrong.map(&:status).uniq
      assert_match(/--export can't be "perfeto"; did you mean perfetto\?/, wrong[0].err)
      no_unit = /--unit can't be combined with --export; the export has all requests and jobs/
      assert_match(no_unit, wrong[1].err)
      assert_match(/--out needs --export; it takes firefox, perfetto, speedscope, json/, wrong[2].err)
    end
  end

  def test_lists_what_is_kept_and_opens_one_of_them
    assert_match(/\ANo capture is stored\. `holdup capture`/, holdup("timeline").out)
    Dir.mktmpdir do |folder|
      captures = Holdup::Capture::Archive.new(File.join(folder, "captures"))
      captures.add(caught("GET /li\e[31mght"), Time.at(60))
      captures.add(EventRing.new.running(2).bytes(to: 9 * MS), Time.at(0))
      File.write(File.join(captures.dir, "19700101T000200Z-9.holdup-capture"), "nonsense")
      said = holdup("timeline", "--store", File.join(folder, "store.sqlite3")).out.gsub(/\n {10,}/,
        " ").lines(chomp: true)
      assert_equal ["19700101T000200Z-9  It is damaged.",
        "19700101T000100Z-7  GET /li?[31mght waited 70.0 ms of 80.0 ms for the GVL, " \
        "66.0 ms of it for GET /hog. 3 events of pid 7. By rule: stall > 50 ms.",
        "19700101T000000Z-7  0 events of pid 7. Taken by command."], said[2..4]
      shown = holdup("timeline", "19700101T000100Z-7", "--store", File.join(folder, "store.sqlite3")).out
      assert_includes shown.gsub(/\s+/, " "),
        "- It was kept because GET /li?[31mght waited 70.0 ms of 80.0 ms for the GVL (stall > 50 ms)"
      assert_match(/保存されたキャプチャ（新しい順）：3 件/,
        holdup("timeline", "--store", File.join(folder, "store.sqlite3"), "--lang", "ja").out)
    end
  end

  def test_each_kept_one_says_who_asked_for_it
    rule = "wall > 2 s"
    {
      {"trigger" => "rule", "rule" => rule} => ["By rule: #{rule}.", "条件：#{rule}"],
      {"trigger" => "asked"} => ["Taken by command.", "コマンドで取得。"],
      {"trigger" => "until", "rule" => rule} =>
        ["Taken by command (--until): #{rule}.", "コマンドで取得（--until）：#{rule}"],
      {"trigger" => "dashboard"} =>
        ["Taken in the dashboard or in `holdup top`.", "ブラウザまたは `holdup top` で取得。"]
    }.each do |facts, reasons|
      Dir.mktmpdir do |folder|
        bytes = Holdup::Capture::Reason.add(EventRing.new.running(2).bytes(to: 9 * MS), facts)
        Holdup::Capture::Archive.new(File.join(folder, "captures")).add(bytes, Time.at(0))
        said = %w[en ja].map { |language|
          holdup(
            "timeline", "--store", File.join(folder, "store.sqlite3"), "--lang", language
          ).out.gsub(/\n {10,}/,
            " ")
        }
        said.zip(reasons) { |text, why| assert_includes text, why }
      end
    end
  end

  def test_what_is_asked_wrongly
    with_capture do |file|
      assert_equal [2, 2, 2, 2],
        [["timeline", "--unit", "1"], ["timeline", file, file], ["timeline", file, "--unit", "x"],
          ["timeline", file, "--what"]].map { |given| holdup(*given).status }
      assert_match(/this capture has no request or job 99/, holdup("timeline", file, "--unit", "99").err)
      assert_match(/none" can't be read .*; give a file that `holdup capture` made/,
        holdup("timeline", "/none").err)
      assert_match(/is not a capture of Holdup/, holdup("timeline", __FILE__).err)
    end
  end

  private

  def caught(name)
    facts = {"trigger" => "rule", "rule" => "stall > 50 ms", "unit" => name, "stalled_ns" => 70 * MS,
             "wall_ns" => 80 * MS, "holder" => "GET /hog", "holder_ns" => 66 * MS}
    bytes = EventRing.new.running(2).begins(1, 2, 1).ends(1, 2, 8, name: "GET /hog").bytes(to: 9 * MS)
    bytes.bytesplice(312, 24, [1, 70 * MS, 80 * MS].pack("Q<3"))
    Holdup::Capture::Reason.add(bytes, facts)
  end

  # Nineteen periods of a twentieth each, all for long names.
  def many_long_periods
    hog, light = %w[Aaaaaaaa Bbbbbbbb].map { |part| "Administration::#{part * 3}Controller#recalculate_all" }
    ring = EventRing.new(names: [hog, light]).running(2).idle(3).begins(2, 2, 0).begins(1, 3, 0)
    19.times do |round|
      at = round * 100 * MS
      ring.ready(3, at + MS, unit: 1)
      ring.stack(2, at + 50 * MS, [hog, "/srv/shop/app/services/#{hog[16, 20]}.rb", 3])
      ring.suspended(2, at + 98 * MS, unit: 2).resumed(3, at + 98 * MS, unit: 1)
      ring.suspended(3, at + 99 * MS, unit: 1)
      ring.ready(2, at + 99 * MS, unit: 2).resumed(2, at + 99 * MS, unit: 2)
    end
    ring.ready(3, 1901 * MS, unit: 1).suspended(2, 1902 * MS, unit: 2).resumed(3, 1902 * MS, unit: 1)
    ring.ends(1, 3, 1903 * MS, name: light).suspended(3, 1904 * MS)
    ring.resumed(2, 1904 * MS, unit: 2).ends(2, 2, 1905 * MS, name: hog)
    Dir.mktmpdir do |folder|
      yield Holdup::Capture::Archive.new(folder).add(ring.bytes(to: 2000 * MS), Time.at(0))
    end
  end

  # The light request is ready again at 10 ms while the hog holds the GVL until 100 ms, and gets it at 102 ms.
  def with_capture(stacks: false)
    ring = EventRing.new.running(3).begins(2, 3, 1 * MS).suspended(3, 5 * MS, unit: 2)
    ring.resumed(2, 5 * MS).begins(1, 2, 5 * MS)
    ring.ready(3, 10 * MS, unit: 2)
    ring.suspended(2, 100 * MS, unit: 1).ready(2, 101 * MS, unit: 1)
    ring.resumed(3, 102 * MS, unit: 2).ends(2, 3, 105 * MS, name: "GET /light").suspended(3, 105 * MS)
    ring.resumed(2, 105 * MS, unit: 1)
    ring.ends(1, 2, 150 * MS, name: "GET /hog")
    if stacks
      [50, 120].each { |at| ring.stack(2, at * MS, ["Report#crunch", "/srv/app/models/report.rb", 12]) }
    end
    Dir.mktmpdir do |folder|
      yield Holdup::Capture::Archive.new(folder).add(ring.bytes(to: 200 * MS), Time.at(0))
    end
  end
end
