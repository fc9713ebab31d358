# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::MethodLineTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new
  PLACE = "app/models/sales_report.rb:41 SalesReport#rows"

  def window(place, name: "A#a", caused: 10, count: 1, **options)
    SAMPLE.window(name, kind: :method, queue: place, count:, sums: {caused_ns: caused * MS}, **options)
  end

  def all(*windows, names: ["A#a"], accounts: true)
    Holdup::Analysis::MethodLine.all(Holdup::Analysis::MethodLine.places(windows, names:, accounts:))
  end

  def test_a_place_is_a_method_with_path_and_line
    line = all(window("#{PLACE} | Array#sort_by", count: 3)).first
    assert_equal ["A#a", "SalesReport#rows", "app/models/sales_report.rb:41", "Array#sort_by"],
      [line.name, line.label, line.location, line.called]
    assert_equal [10, 3], [line.caused_ns / MS, line.samples]
  end

  def test_lines_of_one_method_are_added_up_and_the_worst_is_named
    other = "app/models/sales_report.rb:43 SalesReport#rows"
    found = all(window(PLACE, caused: 20), window("#{other} | Array#map", caused: 30),
      window(other, caused: 5, setting: Holdup::Setting.new(attributes: {"threads" => 9})))
    assert_equal [[55, 43, "Array#map"]], found.map { |line| [line.caused_ns / MS, line.line, line.called] }
  end

  def test_a_template_is_one_method_in_all_processes
    path = "app/views/orders/index.html.erb"
    names = ["#<Class:0x00007fee93f47628>#_app_views_orders_index_html_erb___2931371539373431424_31192",
      "#<Class:0x00007f0193f41110>#_app_views_orders_index_html_erb__31371539373431424_5416"]
    found = all(*names.each_with_index.map { |name, index| window("#{path}:#{index + 3} #{name}") })
    assert_equal [["template", path]], found.map { |line| [line.label, line.path] }
  end

  def test_a_line_that_is_not_known_is_left_out
    found = all(window("lib/b.rb:0 B.b")).first
    assert_equal "lib/b.rb", found.location
    assert_nil found.line
  end

  def test_an_anonymous_class_has_no_address
    found = all(window("lib/a.rb:1 #<Class:0x00007fee93f47628>#call"),
      window("lib/a.rb:2 #<Class:0x00007f01>#call"))
    assert_equal ["#<Class>#call"], found.map(&:label)
  end

  def test_gc_and_native_code_are_parts
    line = all(window("#{PLACE} | (GC)", caused: 4), window("#{PLACE} | (native C)", caused: 6),
      window(PLACE, caused: 2)).first
    assert_equal [12, 4, 6], [line.caused_ns, line.gc_ns, line.native_ns].map { |ns| ns / MS }
    assert_nil line.called
  end

  def test_what_caused_most_comes_first
    found = all(window(PLACE), window("lib/b.rb:1 B.b", name: "B#b", caused: 90), names: ["A#a", "B#b"])
    assert_equal %w[B.b SalesReport#rows], found.map(&:label)
  end

  def test_names_that_were_not_chosen_are_left_out
    assert_empty all(window(PLACE, name: "B#b"))
  end

  def test_threads_outside_of_requests_only_count_without_a_filter
    threads = [window(PLACE, name: "thread:cron"), window(PLACE, name: "main")]
    assert_equal [true, true], all(*threads).map(&:account)
    assert_empty all(*threads, accounts: false)
  end

  def test_places_without_a_path
    assert_equal ["Thread#initialize", "(others)"],
      all(window("Thread#initialize"), window(nil, caused: 1)).map(&:label)
    assert_nil all(window("Thread#initialize | (GC)")).first.location
  end

  def test_operators_and_paths_with_spaces
    line = all(window("app/my models/set.rb:7 Set#| | Array#|")).first
    assert_equal ["Set#|", "app/my models/set.rb:7", "Array#|"], [line.label, line.location, line.called]
  end

  Entry = Holdup::Analysis::WindowTable::WindowEntry
  OLD = Holdup::Setting.new(attributes: {"revision" => "aaa111"})
  NEW = Holdup::Setting.new(attributes: {"revision" => "bbb222"})

  def units(name, count, setting)
    Entry.new(window: SAMPLE.window(name, count:), setting:)
  end

  # @param first_used [Array<Setting>] in that order
  def under_revisions(entries, *windows, first_used: [OLD, NEW])
    revisions = Holdup::Analysis::MethodLine::RevisionUnits.new(entries) do |setting|
      first_used.index(setting)
    end
    places = windows.map { |window| Holdup::Analysis::MethodLine.place(window) }
    Holdup::Analysis::MethodLine.all(places, revisions:).first.revisions
  end

  def test_what_it_caused_for_each_unit_under_each_revision
    found = under_revisions([units("A#a", 10, OLD), units("A#a", 5, NEW), units("B#b", 90, NEW)],
      window(PLACE, caused: 20, setting: OLD), window("#{PLACE} | (GC)", caused: 20, count: 2, setting: NEW))
    assert_equal %w[aaa111 bbb222], found.map(&:revision)
    assert_equal [2, 4], found.map { |under| under.each_ns.fdiv(MS).round }
    assert_equal [[10, 1], [5, 2]], found.map { |under| [under.units, under.samples] }
  end

  def test_revisions_are_in_order_of_first_use
    found = under_revisions([units("A#a", 1, OLD), units("A#a", 1, NEW)], window(PLACE, setting: NEW),
      first_used: [NEW, OLD])
    assert_equal %w[bbb222 aaa111], found.map(&:revision)
    assert_equal [1, 0], found.map(&:samples)
  end

  def test_one_revision_has_nothing_to_compare
    assert_empty under_revisions([units("A#a", 1, OLD), units("B#b", 1, NEW)], window(PLACE, setting: OLD))
    assert_empty all(window(PLACE)).first.revisions
  end

  def test_reads_what_the_probe_writes_for_its_parts
    source = File.read(File.expand_path("../../../ext/holdup/hook/hold_places.c", __dir__))
    Holdup::Analysis::MethodPlace::PARTS.each_key { |part| assert_includes source, part.dump }
  end
end
