# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::UnitPagesTest < Minitest::Test
  include Dashboard

  HOSTILE = ["<script>alert(1)</script>", "\u202Egnp.exe", "\u{1F4A9}\u{20BB7}", "=HYPERLINK(\"x\")",
    "a\"b,c\nd", "'><img src=x onerror=alert(1)>"].freeze
  NS = 1_000_000_000

  def hostile(names = HOSTILE)
    SampleWindows.new(units: names.to_h { |name|
      [name,
        {ms: {cpu: 1, stalled: 1}, acquisitions: 1, units: 5, blame: 1}]
    })
  end

  def names
    markup.scan(%r{<th scope="row"><a[^>]*>([^<]*)</a>}).flatten
  end

  def test_sorted_by_each_column_both_ways
    %w[name count rate wall p50 p95 p99 suffered caused each acquisitions acquisition hold queued
      errors].each do |figure|
      get "/requests", {"sort" => figure}
      first = names
      assert_equal 8, first.size
      assert_includes last_response.body, %(<th scope="col" aria-sort="descending">)
      get "/requests", {"sort" => figure, "dir" => "asc"}
      assert_equal first, names.reverse
    end
    get "/requests", {"sort" => "count", "limit" => "2"}
    assert_equal ["ProductsController#index", "OrdersController#index"], names
    assert_includes text, "6 more"
  end

  # Of 25 the strongest 20 have rows.
  def test_of_many_the_strongest_have_rows_and_the_others_share_one
    @sample = hostile((10..34).map { |number| "Controller#{number}#index" })
    get "/requests", {"sort" => "count"}
    total = markup[%r{<tfoot>.*?</tfoot>}m].gsub(/<[^>]+>/, " ")
    assert_equal 20, names.size
    assert_match(/and 5 others.* 75 /m, total)
    assert_match(/<form class="fields" data-keep method="get" action="\/requests">.*?name="name"/m, markup)
  end

  def test_the_search_shows_those_of_a_name
    @sample = hostile((10..34).map { |number| "Controller#{number}#index" })
    get "/requests", {"name" => "Controller2*"}
    assert_equal 10, names.size
    refute_match(/and \d+ others/, text)
    assert_match(/<input name="name" value="Controller2\*"/, markup)
  end

  # Where `@leaks`, each process watched 120 requests, of which twelve of one endpoint leave 1 kB.
  def sample_store
    return super unless @leaks
    blocks = {"retained.0.name": "OrdersController#index", "retained.0.units": (["1.1"] * 12).join(","),
              "retained.0.bytes": ([1000.to_s(36)] * 12).join(",")}
    facts = {"retained.watched": 120, "retained.names": 10, "retained.majors": 1, **blocks}
    windows = sample.stored.map do |window|
      window.with(sums: {**window.sums, objects: 1000 * window.count, objects_own_ns: NS})
    end
    processes = SampleProcesses.new(sample).to_a.map { |process| {**process, **facts} }
    Holdup::Store.open("memory:").tap { |store| store.commit(windows, {}, processes:) }
  end

  def test_says_before_the_table_of_memory_what_makes_the_processes_grow
    @leaks = true
    get "/requests"
    assert_match(/OrdersController#index leaves 1.00 kB in memory each time/, text)
  end

  def test_does_not_say_it_of_spans_without_samples
    @leaks = true
    get "/requests", {"since" => "30d"}
    assert_match(/objects/, text)
    refute_match(/in memory each time/, text)
  end

  def test_few_need_no_search
    get "/requests"
    refute_includes text, "Search"
  end

  def test_each_row_says_whom_it_waits_for_with_a_link
    get "/requests"
    row = markup[%r{<tr>\s*<th scope="row"><a[^>]*>OrdersController#index</a>.*?</tr>}m]
    link = %r{<small><a href="/endpoint\?[^"]*unit=ReportsController%23sales[^"]*">waits 7\d % for }
    assert_match(link, row)
    get "/"
    assert_includes text, "% for Reports#sales"
  end

  def test_a_recording_of_an_earlier_version_says_nothing_of_it
    sample.define_singleton_method(:stored) { to_a }
    get "/requests"
    refute_includes text, "waits "
  end

  def test_only_those_that_ran_often
    get "/requests", {"least" => "300", "sort" => "name", "dir" => "asc"}
    assert_equal %w[OrdersController#index ProductsController#index], names
    get "/requests.csv", {"least" => "300"}
    assert_equal 3, last_response.body.lines.size
    get "/requests.md", {"least" => "301"}
    assert_match(/^\| ProductsController\\#index \|.*\| 900 \|/, last_response.body)
    refute_includes last_response.body, "OrdersController"
  end

  def test_a_file_reads_nothing_that_it_does_not_show
    store = sample_store
    @app = dashboard(store:)
    asked = []
    %i[sums processes].each do |question|
      store.define_singleton_method(question) do |*span, **options|
        asked << [question, options[:kinds]]
        super(*span, **options)
      end
    end
    get "/requests.csv"
    assert_equal 1, asked.size, asked.inspect
  end

  def test_names_are_text_whatever_is_in_them
    @sample = hostile
    %w[/ /requests /blame /advice /processes /health].each do |path|
      get path
      assert_equal 200, last_response.status
      assert_empty markup.scan(/<script|<img|\u202E/), path
      assert_predicate last_response.body, :valid_encoding?
    end
    HOSTILE.each do |name|
      get "/endpoint", {"unit" => name, "kind" => "request"}
      assert_equal 200, last_response.status
      assert_includes text, "15 requests"
      assert_empty markup.scan(/<script|<img/)
    end
  end

  def test_a_spreadsheet_gets_no_formula
    @sample = hostile
    get "/requests.csv"
    assert_includes last_response.body, %("'=HYPERLINK(""x"")",request,)
    assert_equal 1 + HOSTILE.size, last_response.body.lines("\r\n").size
    assert_includes last_response.body, %("a""b,c?d")
  end

  def test_a_name_without_end_is_cut
    @sample = hostile(["x" * 900, "\u3042" * 34_000])
    %w[/ /requests /blame /processes].each do |path|
      get path
      assert_operator last_response.body.bytesize, :<, 40_000, path
    end
    assert_operator text.scan(/x+\u2026x+|\u3042+\u2026\u3042+/).map(&:size).max, :<=, 200
  end
end
