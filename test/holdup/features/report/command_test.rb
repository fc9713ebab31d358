# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "io/console"
require "json"
require "pty"
require "support/watched_text"
require "zlib"

class Holdup::Report::CommandTest < Minitest::Test
  include CommandLine
  include WatchedText

  NOW_S = SampleWindows::START_S + 240

  def report(*arguments, store:, **options)
    holdup("report", "--store", store, *arguments, now_s: NOW_S, **options)
  end

  def test_text_is_what_it_prints
    with_store do |store|
      said = report(store:)
      assert_equal [0, ""], [said.status, said.err]
      assert_match(/ReportsController#sales \(10\.8 % of all requests and jobs\) caused/, said.out)
      refute_includes said.out, "\e"
    end
  end

  def test_watches_in_a_terminal_until_a_key_ends_it
    with_store do |store|
      drawn = watched(Holdup::Report::Command, "--store", store, "--watch", now_s: NOW_S)
      assert_includes drawn, "ReportsController#sales"
      assert_includes drawn, Holdup::Top::Terminal::LEAVE
    end
  end

  def test_watches_neither_a_span_that_has_ended_nor_another_format
    with_store do |store|
      {%w[--until 1m] => "until", %w[--fresh] => "fresh", %w[--json] => "json"}.each do |more, other|
        said = report("--watch", *more, store:)
        assert_equal 2, said.status
        assert_match(/--watch and --#{other} can't be combined; leave out one of them/, said.err)
      end
      assert_match(/--watch needs a terminal/, report("-w", store:).err)
    end
  end

  TABLES = Holdup::Report::FullReport::TABLES.keys

  def test_one_screen_unless_everything_is_asked_for
    with_store(SampleWindows.new, SampleProcesses.new.to_a) do |store|
      screen = report(store:).out
      assert_operator screen.lines.size, :<=, 39
      [%w[--full], %w[--details], %w[--limit 3]].each do |arguments|
        assert_includes report(*arguments, store:).out, "Amdahl's law", arguments
      end
      refute_includes screen, "Amdahl's law"
      assert_equal report("--markdown", store:).out, report("--full", "--markdown", store:).out
    end
  end

  def test_one_table
    with_store(SampleWindows.new, SampleProcesses.new.to_a) do |store|
      full = report("--full", store:).out
      TABLES.each do |name|
        table = report("--table", name.to_s, store:).out.split("\n\n", 2).last
        assert_operator full.scan(table.chomp).size, :==, 1, name unless table.start_with?("- Nothing was")
      end
      assert_match(/^- Nothing was measured for this table/, report("--table", "connections", store:).out)
      assert_match(/^\| name \| caused \| % /, report("--table", "blame", "--markdown", store:).out)
    end
  end

  def test_methods_as_a_profile
    sample = SampleWindows.new
    method = sample.window("OrdersController#index", kind: :method, queue: "app/a.rb:1 Order#rows", count: 9,
      sums: {caused_ns: 300_000_000})
    with_store(sample.to_a + [method]) do |store|
      file = File.join(File.dirname(store), "methods.pb.gz")
      [%w[--pprof], %w[--table methods --format pprof]].each do |arguments|
        assert_equal 0, report(*arguments, "--out", file, store:).status
        assert_includes Zlib.gunzip(File.binread(file)), "Order#rows"
      end
      profile = JSON.parse(report("--firefox", store:).out)
      assert_includes profile.dig("threads", 0, "stringArray"), "Order#rows"
    end
    with_store do |store|
      assert_match(/no method made others wait/, report("--pprof", "--out", "none.pb.gz", store:).err)
    end
  end

  def test_a_table_is_for_people
    {%w[--json] => /--table can't be combined with --format json/, %w[--html] => /with --format html/,
     %w[--full] => /with --full/, %w[--pprof] => /with --format pprof/}.each do |arguments, reason|
      refused = report("--table", "blame", *arguments, store: "none.sqlite3")
      assert_equal 2, refused.status
      assert_match reason, refused.err
    end
    assert_match(/did you mean blame/, report("--table", "blam", store: "none.sqlite3").err)
  end

  # Ruby 3.3's optparse alone refuses it.
  def test_values_after_an_equals_sign
    with_store do |path|
      said = holdup("report", "--store=#{path}", "--since=2h", "--name=a=b",
        now_s: SampleWindows::START_S + 600)
      assert_match(/no request or job .*a=b/i, said.err + said.out)
      refute_match(/has no option/, said.err)
    end
  end

  def test_its_commands_have_the_options_that_it_was_given
    with_store do |store|
      text = report("--since=2h", "--host", "web-*", store:).out.gsub(/ \\\n +/, " ")
      assert_match(/^  holdup report --full --since 2h --store #{store} --host 'web-\*' --name /, text)
      assert_match(/^  holdup capture --all --store #{store} --until 'stall > \d+ ms'/, text)
    end
  end

  def test_a_password_is_not_printed
    argv = %w[--store postgres://me:secret@db/x --since=1h --json]
    given = Holdup::Report::Command::OPTIONS.parse(argv, now_s: 0)
    assert_equal({"--since" => "1h", "--store" => "postgres://me:***@db/x"}, given.again)
  end

  LONG = "Pricing::PriceOracleController#recalculate_all (app/services/price_oracle.rb:11)"

  def test_names_are_whole_in_a_pipe_and_as_long_as_columns_say_elsewhere
    units = {
      LONG => SampleWindows::STOREFRONT.fetch("CartsController#update"),
      "A#b" => SampleWindows::STOREFRONT.fetch("QuotesController#show")
    }
    with_store(SampleWindows.new(units:)) do |store|
      rows = lambda do |columns|
        report("--full", store:, env: {"COLUMNS" => columns}.compact).out.lines.grep(/^Pricing/)
      end
      assert_operator rows.call(nil).size, :>=, 4
      rows.call(nil).each { |row| assert_operator row, :start_with?, LONG }
      rows.call("80").each { |row| assert_operator row.chomp.size, :<=, 80 }
      rows.call("200").each { |row| assert_operator row, :start_with?, LONG }
      wide = report("--full", "--wide", store:, env: {"COLUMNS" => "80"}).out.lines.grep(/^Pricing/)
      assert_equal rows.call(nil), wide
    end
  end

  def test_json_and_markdown
    with_store do |store|
      assert_equal 2220, JSON.parse(report("--format", "json", store:).out).dig("totals", "count")
      assert_match(/\A# Holdup report/, report("--format", "markdown", store:).out)
    end
  end

  def test_one_file_for_a_browser
    with_store do |store|
      file = "#{store}.html"
      assert_equal [0, "", ""],
        report("--format", "html", "--out", file, "--lang", "ja", "--name", "Orders*",
          store:).then { |said| [said.status, said.out, said.err] }
      assert_match(/\A<!DOCTYPE html>\n<html lang="ja">/, File.read(file))
      assert_equal "名前：Orders*", File.read(file)[%r{(?<=class="about">)名前[^<]*}]
      assert_match(/\A<!DOCTYPE html>/, report("--format", "html", store:).out)
      refused = report("--format", "json", "--out", "/nonexistent/x", store:)
      assert_equal [1, ""], [refused.status, refused.out]
      assert_match(%r{\Aholdup: /nonexistent/x can't be written}, refused.err)
    end
  end

  def test_filters_and_order
    with_store do |store|
      rows = JSON.parse(report("--format", "json", "--name", "*Controller#index", "--sort", "count",
        store:).out)["series"]
      assert_equal %w[ProductsController#index OrdersController#index], rows.map { |row| row["name"] }
    end
  end

  # An empty report would read as if there had been no load.
  def test_a_filter_without_a_match_lists_what_the_span_has
    with_store do |store|
      called = /no request or job of that span is called/
      {
        %w[--name OrderController#index] =>
          /#{called} "OrderController#index"; did you mean OrdersController#index\?/,
        %w[--name orders*] => /is called "orders\*"; did you mean OrdersController#index\?/,
        %w[--name zzz] =>
          /is called "zzz"; there were ProductsController#index, OrdersController#index, .* \.\.\./,
        %w[--kind job] => /no job was measured in that span; there were requests$/,
        %w[--queue mailers] => /no job of that span is of the queue "mailers"; there was none at all/,
        %w[--threads 4] => /no request or job of that span ran with 4 threads; there were 5/,
        %w[--kind request --name zzz --threads 5] => /no request of that span is called "zzz"/
      }.each do |arguments, reason|
        %w[text json markdown html].each do |format|
          said = report(*arguments, "--format", format, store:)
          assert_equal [2, ""], [said.status, said.out], arguments.inspect
          assert_match reason, said.err
        end
      end
      assert_equal [0, ""],
        report("--name", "zzz", "--until", "2d", "--since", "3d",
          store:).then { |said| [said.status, said.err] }
    end
  end

  # Two applications in one store.
  def two(&)
    shop, admin = {"shop" => "Orders#show", "admin" => "Users#index"}.map do |app, name|
      SampleWindows.new(units: {name => SampleWindows::STOREFRONT.fetch("CartsController#update")},
        setting: SampleWindows::SETTING.merge("app" => app)).to_a
    end
    with_store(shop + admin, &)
  end

  def test_several_applications_are_named_and_separated_by_app
    two do |store|
      beginning = /! These figures mix requests and jobs of 2 applications /m
      ending = /\(shop\s+50\s+%,\s+admin\s+50\s+%\).*--app NAME/m
      assert_match(/#{beginning}#{ending}/m, report(store:).out)
      said = report("--app", "admin", store:)
      refute_match(/figures mix/, said.out)
      assert_equal [true, false], %w[Users#index Orders#show].map { |name| said.out.include?(name) }
      assert_match(/the store has no application named "shap"; did you mean shop/,
        report("--app", "shap", store:).err)
    end
  end

  def test_a_priority_is_of_jobs_and_has_no_names
    [["--kind", "request"], ["--name", "Pdf*"]].each do |more|
      refused = report("--by", "priority", *more, store: "none.sqlite3")
      assert_equal 2, refused.status
      assert_match(/--by priority can't be combined with --name or --kind request/, refused.err)
    end
    with_store { |store|
      assert_equal [0, []],
        JSON.parse(report("--by", "priority", "--format", "json",
          store:).out).then { |made| [made.dig("totals", "count"), made["series"]] }
    }
  end

  def test_since_and_until_choose_the_time
    with_store do |store|
      one = JSON.parse(report("--format", "json", "--since", "4m", "--until", "3m", store:).out)
      assert_equal 740, one.dig("totals", "count")
      assert_equal 0,
        JSON.parse(report("--format", "json", "--until", "2d", store:).out).dig("totals", "count")
    end
  end

  def test_japanese_by_option_or_locale
    with_store do |store|
      assert_match(/GVL 待ちの主な原因/, report("--lang", "ja", store:).out)
      assert_match(/GVL 待ちの主な原因/, report(store:, env: {"LANG" => "ja_JP.UTF-8"}).out)
      english = report("--lang", "en", store:, env: {"LANG" => "ja_JP.UTF-8"}).out
      assert_match(/Who made others wait most/, english)
    end
  end

  def test_a_format_by_its_name_alone
    with_store { |store| assert_equal report("--format", "json", store:).out, report("--json", store:).out }
  end

  def test_what_ruby_adds_to_a_reason_is_left_out
    assert_equal "holdup: /nonexistent/x can't be written (No such file or directory); name another with " \
      "--out\n",
      with_store { |store| report("--out", "/nonexistent/x", store:) }.err
  end

  def test_the_store_comes_from_the_environment
    with_store do |store|
      assert_equal 0, holdup("report", env: {"HOLDUP_STORE" => "sqlite://#{store}"}, now_s: NOW_S).status
    end
  end

  def test_wrong_questions
    {
      %w[--since tomorrow] => /30m, 1h, 2d/,
      %w[--since 1h --until 2h] => /not before/,
      %w[--by colour] => /name, host, role, revision, setting, process, queue/,
      %w[--sort stalld] => /did you mean stalled/,
      %w[--format xml] => /text, json, markdown/,
      %w[--kind foo] => /request, job/,
      %w[--threads 0] => /whole number/,
      %w[--lang xx] => /: en, /,
      %w[--by process --name A] => /can't be combined/,
      %w[--json --html] => /--json and --html can't be combined/,
      %w[--format html --by setting] => /--by can't be combined with --format html/,
      %w[--format html --details] => /--details can't/,
      %w[--format html --limit 101] => /at most 100/
    }
      .each do |arguments, message|
        said = holdup("report", *arguments)
        assert_equal [2, 1, ""], [said.status, said.err.lines.size, said.out], arguments
        assert_match message, said.err
      end
  end

  def test_a_store_that_is_none
    Dir.mktmpdir do |folder|
      File.write(file = File.join(folder, "x.sqlite3"), "this is no database" * 100)
      [file, File.join(folder, "none.sqlite3"), "mongodb://x"].each do |store|
        said = report(store:)
        assert_includes [1, 2], said.status
        assert_equal 1, said.err.lines.size
        assert_match(/\Aholdup: .*;/, said.err)
      end
      assert_equal "this is no database" * 100, File.read(file)
    end
  end

  def test_colours_on_a_terminal_and_its_width
    with_store do |store|
      output = in_terminal(store, {})
      assert_includes output, "\e[31m"
      output.gsub(/\e\[\d+m/, "").each_line(chomp: true) { |line|
        assert_operator line.delete("\r").size, :<=, 100
      }
      refute_includes in_terminal(store, {"NO_COLOR" => "1"}), "\e["
    end
  end

  def test_a_reader_that_leaves_early
    with_store do |store|
      script = "#{RbConfig.ruby} #{CommandLine::EXE} report --store #{store} --since 2026-09-01 --limit " \
        "1000; echo status $? >&2"
      _, err, = Open3.capture3(OWN_LOAD_PATH, "sh", "-c", "{ #{script}; } | head -c 10")
      assert_equal "status 0\n", err
    end
  end

  private

  def in_terminal(store, env)
    text = +""
    command = [RbConfig.ruby, CommandLine::EXE, "report", "--store", store, "--since", "2026-09-01"]
    PTY.spawn(OWN_LOAD_PATH.merge(env), *command) do |reader, _, pid|
      reader.winsize = [40, 100]
      loop { text << reader.readpartial(65_536).force_encoding(Encoding::UTF_8) }
    rescue EOFError, Errno::EIO
      Process.wait(pid)
    end
    text
  end
end
