# frozen_string_literal: true

require "test_helper"
require "cgi/escape"
require "holdup/model/collector_checkpoint"
require "holdup/loader"
require "json"

class Holdup::Web::AppTest < Minitest::Test
  include Dashboard

  PAGES = Holdup::Web::Pages::LISTED.map { |name|
    (name == Holdup::Web::Pages::START) ? "/" : "/#{name}"
  }.freeze

  def test_health_has_its_count_in_the_menu
    @app = dashboard(troubles: -> { 3 })
    get "/jobs"
    assert_match(%r{>Health\s*<span class="troubles" title="3 checks fail or warn">3</span>},
      last_response.body)
  end

  def test_health_has_no_count_without_troubles_and_before_they_are_counted
    [-> { 0 }, -> {}, nil].each do |troubles|
      answer = Rack::MockRequest.new(dashboard(troubles:)).get("/jobs")
      refute_includes answer.body, "troubles"
    end
  end

  def test_every_page_in_both_languages
    PAGES.product(%w[en ja]).each do |path, language|
      get path, {"lang" => language}
      assert_equal 200, last_response.status, path
      assert_includes last_response.body, %(<html lang="#{language}">)
      assert_equal 1, last_response.body.scan("<h1>").size
      tables_hold(path)
    end
  end

  def tables_hold(path)
    last_response.body.scan(%r{<table>.*?</table>}m) do |table|
      assert_match(/<caption[^>]*>[^<]+<\/caption>/, table, path)
      widths = table.scan(%r{<tr>.*?</tr>}m).map { |row| row.scan(/<t[hd]/).size }.uniq
      assert_equal 1, widths.size, "#{path}: #{widths.inspect}"
    end
  end

  def empty
    require "holdup/loader"
    dashboard(store: Holdup::Store.open("memory:"))
  end

  def test_each_page_about_a_span_says_of_how_many_hosts_it_is
    fleet = PlayedFleet.new(hosts: 62)
    store = fleet.store
    62.times do |at|
      checkpoint = Holdup::CollectorCheckpoint.new(host: "web-#{at + 1}", folder: "f", units: {},
        at_ns: fleet.to_s * 1_000_000_000)
      store.commit([], {}, collector_checkpoint: checkpoint)
    end
    @app = dashboard(store:, clock: CommandLine::Still.new(now_s: fleet.to_s))
    scopes = {{} => "62 hosts", {"host" => "web-1*"} => "web-1*, 11 hosts", {"host" => "web-7"} => "web-7"}
    (PAGES - %w[/captures /calculator /health]).product(scopes.to_a) do |path, (asked, scope)|
      get path, asked
      assert_equal scope, markup[%r{<span class="chosen">(.*?)</span>}m, 1], path
    end
  end

  def test_an_empty_store_says_what_to_do
    @app = empty
    PAGES.each do |path|
      get path
      assert_equal 200, last_response.status, path
    end
  end

  # Those that say something without any data.
  SPEAKING = %w[/calculator /health /deaths].freeze

  def test_pages_without_data_are_a_sentence_and_a_command_to_copy
    stores = {nothing: Holdup::Store.open("memory:"), "another time": sample_store}
    stores.each do |name, store|
      @app = dashboard(store:, clock: CommandLine::Still.new(now_s: sample.to_s + 90 * 86_400))
      pages = (name == :nothing) ? [*PAGES, "/endpoint?unit=x"] : PAGES - ["/compare"]
      pages -= [*SPEAKING, *("/captures" if name != :nothing)]
      pages.product(%w[en ja]).each do |path, lang|
        get path, {lang:}
        assert_equal 1, markup.scan('<p class="lead ').size, "#{path} #{lang} #{name}"
        commands = markup.scan(%r{<pre[^>]*>(.*?)</pre>}m).flatten
        assert_match(/\Aholdup [a-z -]+(\d+)?\z/, commands.join("|"), "#{path} #{lang} #{name}")
      end
    end
  end

  def test_a_page_of_jobs_without_jobs_has_a_command_to_copy
    get "/jobs"
    assert_includes text, "No jobs were measured in this span."
    assert_equal ["holdup doctor"], markup.scan(%r{<pre[^>]*>(.*?)</pre>}m).flatten
  end

  def test_a_dead_collector_since_when
    get "/"
    refute_includes text, "No measurements since"
    later = dashboard(clock: CommandLine::Still.new(now_s: sample.to_s + 3600))
    page = later.call(Rack::MockRequest.env_for("/?since=3h"))[2].enum_for(:each).to_a.join
    assert_includes page.gsub(/<[^>]+>/, ""),
      "No measurements since #{Time.at(sample.to_s - 60).strftime("%F %T %:z")} ("
  end

  def test_how_old_the_newest_figures_are_and_what_waits
    Dir.mktmpdir do |dir|
      writer = SegmentWriter.new(dir)
      5.times { writer.record("A#b", wall: 5_000) }
      store = sample_store
      id = Holdup::Segment::Directory.new(dir).take_over.id
      folder = Holdup::CollectorCheckpoint.folder(dir, id)
      collector_checkpoint = Holdup::CollectorCheckpoint.new(host: "a", folder:,
        at_ns: (sample.to_s - 7) * 1_000_000_000, units: {File.basename(writer.path) => 3})
      store.commit([], {}, collector_checkpoint:)
      @app = Holdup::Web.new(store: -> { store }, dir:, auth: :none,
        clock: CommandLine::Still.new(now_s: sample.to_s))
      get "/requests"
      assert_includes text,
        "The newest figures are 7.00 s old. " \
        "The collector stores 2 requests and jobs that ended since then in its next round."
      get "/requests?lang=ja"
      assert_includes text, "最新の計測値は 7.00 秒前のものです。その後に終了したリクエストとジョブ 2 件は、コレクターが次の回に保存します。"
      get "/requests?until=2m"
      refute_includes text, "newest figures"
    end
  end

  def test_shows_no_age_without_a_collector
    get "/requests"
    refute_includes text, "newest figures"
  end

  def test_how_far_the_store_is_behind
    get "/health"
    assert_includes text, "behind by 60.0 s"
  end

  def test_what_holdup_itself_took
    get "/health"
    beginning = /CPU of the collector, share of one core 0\.4 % memory of the collector 40\.0 MB memory of /
    ending = /the segments 3\.00 MB/
    assert_match(/#{beginning}#{ending}/, text)
  end

  def test_the_jit_page_has_the_findings_about_the_jit
    get "/jit"
    assert_includes text, "Findings about the JIT The JIT that is on makes these requests and jobs only"
  end

  def test_the_figures_of_one_endpoint
    get "/endpoint", {"unit" => "OrdersController#index", "kind" => "request"}
    assert_equal 200, last_response.status
    assert_includes text, "What makes it wait"
    assert_includes text, "What it makes wait"
    assert_match(/134 ms - 268 ms \d+/, text)
    get "/endpoint"
    assert_equal 400, last_response.status
  end

  def test_the_methods_of_an_endpoint_and_what_they_cause_over_time
    sample = SampleWindows.new
    method = sample.window("OrdersController#index", kind: :method, queue: "app/a.rb:1 Order#rows", count: 9,
      sums: {caused_ns: 300_000_000})
    @app = dashboard(store: sample_store.tap { |store| store.commit([method], {}) })
    get "/endpoint", {"unit" => "OrdersController#index", "kind" => "request"}
    assert_includes text, "Methods that make others wait"
    assert_includes markup, "GVL wait that each method causes in a request or job"
    assert_includes text, "caused, Order#rows"
    get "/endpoint", {"unit" => "ReportsController#sales", "kind" => "request"}
    refute_includes markup, "GVL wait that each method causes"
  end

  def test_one_of_several_applications
    admin = SampleWindows.new(
      units: {"Users#index" => SampleWindows::STOREFRONT.fetch("CartsController#update")},
      setting: SampleWindows::SETTING.merge("app" => "admin")
    )
    @app = dashboard(store: sample_store.tap { |store| store.commit(admin.to_a, {}) })
    get "/"
    assert_match(/These figures mix requests and jobs of 2 applications \(- \d+ %, admin \d+ %\)/, text)
    assert_equal ["", "-", "admin"],
      markup[%r{<select name="app">.*?</select>}m].scan(/value="([^"]*)"/).flatten
    get "/requests", {"app" => "admin"}
    assert_equal [true, false], ["Users#index", "OrdersController#index"].map { |name| markup.include?(name) }
    assert_includes markup, %(href="/blame?app=admin")
    get "/", {"app" => "nobody"}
    assert_equal [400, true], [last_response.status, text.include?("the store has no application named")]
  end

  def test_offers_no_choice_of_a_single_application
    get "/"
    refute_includes markup, %(name="app")
  end

  def test_files
    get "/overview.json"
    assert_equal [sample.to_a.sum(&:count), "application/json; charset=utf-8"],
      [JSON.parse(last_response.body)["totals"]["count"], last_response.headers["content-type"]]
    get "/requests.csv"
    assert_equal 9, last_response.body.lines.size
    %w[/overview.exe /requests. /.json].each do |path|
      get path
      assert_equal 404, last_response.status, path
    end
  end

  def test_a_page_is_found_by_the_name_it_had_once
    {"/endpoints" => "/requests", "/endpoints.csv" => "/requests.csv"}.each do |former, name|
      get former, {"since" => "6h", "name" => "Orders*"}
      assert_equal [301, "#{name}?since=6h&name=Orders*"],
        [last_response.status, last_response.headers["location"].delete_prefix("http://example.org")], former
    end
  end

  def test_each_page_as_each_file
    pages = PAGES - %w[/ /compare /advice /captures] + %w[/overview /endpoint]
    pages.product(%w[json csv md]).each do |path, ending|
      get "#{path}.#{ending}", {"unit" => "OrdersController#index", "lang" => "ja"}
      assert_equal 200, last_response.status, [path, ending]
      assert_includes last_response.headers["content-disposition"], "holdup#{path.tr("/", "-")}.#{ending}"
      next if path == "/deaths" && ending == "csv" # nothing died, so there is no table
      send(:"holds_#{ending}", last_response.body.force_encoding("UTF-8"), path)
    end
  end

  def holds_json(body, path)
    assert_kind_of(Hash, JSON.parse(body), path)
  end

  def holds_csv(body, path)
    assert_includes(body, "\r\n", path)
  end

  def holds_md(body, path)
    assert_match(/\A# .*\n/, body, path)
    body.scan(/(?:^\|.*\n)+/) { |table|
      assert_equal 1, table.lines.map { |line| line.gsub("\\|", "").count("|") }.uniq.size, path
    }
  end

  def test_links_to_files_carry_what_was_asked
    get "/blame", {"since" => "6h", "name" => "Orders*", "limit" => "3"}
    assert_equal %w[json csv md].map { |ending| "/blame.#{ending}?since=6h&amp;name=Orders*&amp;limit=3" },
      last_response.body.gsub("%2A", "*").scan(/href="([^"]*)" download/).flatten
  end

  # What pages take from the address.
  WORDS = {"/jobs" => %w[since until kind name queue threads lang limit least sort dir],
           "/endpoint" => %w[unit in],
           "/calculator" => %w[io running idle acquisitions],
           "/compare" => %w[base_since base_until base candidate],
           "/advice" => %w[if_load if_threads if_slice]}.freeze
  NOBODY_TYPES = ["-1", "9" * 30, "99999999d", "0000-00-00", "0000-01-01", "9999-12-31T23:59", "\u{1F4A9}",
    "<script>", "\xFF", "NaN", "{a,b}", "[", "\\"].freeze

  def test_words_from_nowhere
    @app = empty
    WORDS.flat_map { |path, words| [path].product(words, NOBODY_TYPES) }.each do |path, word, value|
      assert_includes [200, 400], answer(path, URI.encode_www_form(word => value)),
        "#{path}: #{word}=#{value.inspect}"
    end
  end

  def test_addresses_from_nowhere
    random = Random.new(7)
    paths = ["//", "/%00", "/..%2f..%2fetc/passwd", "/assets/..%2fholdup.css", "/assets/", "/assets/x.css",
      "/endpoint/x", "/\u{1F4A9}", "/#{"a" * 5000}", "/%ff%fe"] +
      Array.new(60) {
        "/#{random.bytes(random.rand(1..30)).bytes.map { |byte|
          format("%%%02X",
            byte)
        }.join}"
      }
    paths.each { |path| assert_includes 400..499, answer(path, ""), path[0, 60] }
    assert_equal 404, app.call(Rack::MockRequest.env_for("/").merge("PATH_INFO" => "/a\xFF.b")).first
    Array.new(100) { random.bytes(random.rand(1..40)).delete("\r\n") }.each do |query|
      assert_includes [200, 400], answer("/requests", query), query.inspect
    end
  end

  def answer(path, query)
    env = Rack::MockRequest.env_for("/").merge("PATH_INFO" => path.gsub(/%(\h\h)/) { $1.hex.chr }.b,
      "QUERY_STRING" => query)
    app.call(env).first
  end

  def test_a_filter_without_a_match_lists_what_the_span_has
    {"/requests?name=orders" => 'No request or job in this span is named "orders". ' \
                                 "Did you mean one of these? OrdersController#index.",
     "/?name=zzz" => 'No request or job in this span is named "zzz". This span has: ProductsController#index',
     "/jobs?name=Pdf" => "No jobs were measured in this span.",
     "/blame?threads=4" => "No request or job in this span ran with 4 threads. This span has: 5.",
     "/requests?name=zzz&lang=ja" => "この期間に「zzz」という名前のリクエストやジョブはありません。"}.each do |address, sentence|
      get address
      assert_equal 200, last_response.status
      assert_includes CGI.unescapeHTML(text), sentence
    end
  end

  def test_rejects_an_export_without_a_match
    %w[/requests.json?name=zzz /requests.csv?name=zzz /overview.md?name=zzz].each do |address|
      get address
      assert_equal 400, last_response.status, address
      assert_includes CGI.unescapeHTML(text), 'is called "*zzz*"'
    end
    get "/jobs.json"
    assert_equal 200, last_response.status
  end

  def test_matches_a_name_as_literal_text
    get "/requests", {"name" => "{#{"{a,b}" * 40}}"}
    assert_equal 200, last_response.status
    get "/requests", {"name" => "orders"}
    refute_includes text, "4.67 ms"
    get "/requests", {"name" => "Orders"}
    assert_includes text, "OrdersController#index"
    refute_includes text, "ProductsController#index"
  end
end
