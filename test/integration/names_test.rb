# frozen_string_literal: true

require "test_helper"
require "cgi/escape"
require "json"
require "holdup/loader"
require "rack/test"

# Names in any script and of any bytes, from the application to every report: each of them, and those beside
# them, are there.
class NamesTest < Minitest::Test
  include CommandLine
  include TemporaryFolder
  include Rack::Test::Methods

  # What is measured => what is shown.
  NAMES = {
    "Plain#index" => "Plain#index",
    "日本語" => "日本語",
    "emoji 🍣🍺" => "emoji 🍣🍺",
    "invalid \xFF\xFE end" => "invalid ?? end",
    "é" * 100 => "é" * 100,
    "#{"x" * 199}é" => "x" * 199,
    "あ" * 80 => "あ" * 66,
    "nul\0inside" => "nul?inside",
    "bytes é".b => "bytes é",
    "=cmd|' /C calc'!A1" => "=cmd|' /C calc'!A1",
    "<b>|`" => "<b>|`"
  }.freeze

  APPLICATION = <<~'RUBY'
    names = Marshal.load(STDIN.read)
    Holdup.configure { |config| config.app = "店舗" }
    Holdup.start
    Thread.current.name = "日本語のとても長いスレッド名"
    Thread.new { Thread.current.name = "invalid \xFF".b; sleep }
    names.each { |name| 2.times { Holdup.measure(name, kind: :request) { sleep 0.001 } } }
    names.each { |name| Holdup.measure(name, queue: "優先キュー") { sleep 0.001 } }
  RUBY

  def environment
    @environment ||= {"HOLDUP_DIR" => File.join(folder, "セグメント"), "HOLDUP_STORE" => store_url,
                      "HOLDUP_COLLECTOR" => "off", "HOLDUP_LOG" => "off", "HOME" => folder}
  end

  def store_url
    "sqlite://#{folder}/ストア/store.sqlite3"
  end

  # Once with a locale, once without.
  def test_in_every_report
    measure
    collected = holdup_process("collect", "--once", env: environment)
    assert_equal ["", 0], [collected.err, collected.status]
    check_store(Holdup::Store.open(store_url, read_only: true))
    check_json
    check_texts
    check_pages
    check_filters
  end

  def test_with_no_locale
    measure
    environment["LC_ALL"] = "C"
    assert_equal 0, holdup_process("collect", "--once", env: environment).status
    check_json
    check_filters
  end

  def test_in_a_store_of_this_process
    measure
    store = Holdup::Store.open("memory:")
    log = CollectedLog.new
    Holdup::Collector.new(store:, directory: environment.fetch("HOLDUP_DIR"), log:).once
    assert_empty log.lines
    check_store(store)
  end

  private

  def measure
    script = "$LOAD_PATH.unshift(#{Collecting::LIB.dump})\nrequire \"holdup\"\n#{APPLICATION}"
    output, status = Open3.capture2e(environment, "timeout", WaitUntil::PATIENCE_S.to_s, RbConfig.ruby,
      "-W:no-experimental", "-Ku", "-e", script, stdin_data: Marshal.dump(NAMES.keys), binmode: true)
    assert status.success?, output
    assert_empty output
  end

  def check_store(store)
    now = Time.now.to_i
    windows = store.windows(now - 600, now + 120).to_a
    requests, jobs = %i[request job].map { |kind| windows.select { |window| window.series.kind == kind } }
    assert_equal NAMES.values.to_h { |name| [name, 2] },
      requests.to_h { |window| [window.series.name, window.count] }
    assert_equal NAMES.values.to_h { |name| [name, 1] },
      jobs.to_h { |window| [window.series.name, window.count] }
    assert_equal ["優先キュー"], jobs.map { |window| window.series.queue }.uniq
    assert_equal NAMES.values.sort,
      store.unit_samples(now - 600, now + 120).map { |one| one.series.name }.uniq.sort
    assert_equal ["店舗"], store.settings.map { |setting| setting["app"] }
    assert_empty store.skipped_rows
  ensure
    store.close
  end

  def check_json
    said = holdup_process("report", "--json", "--limit", "100", env: environment)
    assert_equal "", said.err
    rows = JSON.parse(said.out.force_encoding(Encoding::UTF_8))["series"]
    assert_equal NAMES.values.to_h { |name| [name, 2] },
      rows.select { |row| row["kind"] == "request" }.to_h { |row| [row["name"], row["count"]] }
  end

  # Tables cut long names in the middle.
  def check_texts
    short = NAMES.values.select { |name| name.bytesize < 30 }
    %w[text markdown html].each do |format|
      out = File.join(folder, "report.#{format}")
      said = holdup_process("report", "--format", format, "--limit", "100", "--out", out, env: environment)
      assert_equal ["", 0], [said.err, said.status]
      text = File.read(out, encoding: "UTF-8")
      assert_predicate text, :valid_encoding?
      text = CGI.unescapeHTML(text.gsub("<wbr>", "").gsub(/\\([[:punct:]])/, '\1')) unless format == "text"
      assert_empty short.reject { |name| text.include?(name) }, format
    end
  end

  def check_pages
    %w[/overview /requests /requests.csv /requests.md /jobs /jobs.csv /blame /processes /jit
      /health].each do |path|
      get path
      assert_equal [200, true], [last_response.status, page.valid_encoding?], path
    end
    NAMES.values.grep(/日本|🍣|é/).each do |name|
      get "/requests.csv"
      assert_includes page, name
      get "/endpoint?#{URI.encode_www_form(unit: name, kind: "request")}"
      assert_equal 200, last_response.status
      assert_includes page, "2 requests"
    end
  end

  def page
    last_response.body.dup.force_encoding(Encoding::UTF_8)
  end

  def check_filters
    said = holdup_process("report", "--json", "--name", "日本*", env: environment)
    assert_equal ["", ["日本語"]],
      [said.err,
        JSON.parse(said.out.force_encoding(Encoding::UTF_8))["series"].map { |row| row["name"] }.uniq]
  end

  def app
    @app ||= Holdup::Web.new(store: -> { Holdup::Store.open(store_url, read_only: true) },
      dir: environment.fetch("HOLDUP_DIR"), auth: :none)
  end
end
