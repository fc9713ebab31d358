# frozen_string_literal: true

require "test_helper"
require "holdup/capture/stacks"

class Holdup::Capture::StacksTest < Minitest::Test
  GEMS = "/srv/shop/vendor/bundle/ruby/3.4.0/gems"
  FRAMES = {
    main: ["<main>", "/srv/shop/config.ru"],
    template: ["_app_views_orders__order_html_erb___1_2", "/srv/shop/app/views/orders/_order.html.erb"],
    records: ["ActiveRecord::Relation#load", "#{GEMS}/activerecord-8.1.4/lib/active_record/relation.rb"],
    sqlite: ["SQLite3::Statement#each", "#{GEMS}/sqlite3-2.0.0/lib/sqlite3/statement.rb"],
    step: ["SQLite3::Statement#step", nil],
    git: ["Engine#run", "/srv/shop/vendor/bundle/ruby/3.4.0/bundler/gems/engine-1f2e3d/lib/engine.rb"],
    json: ["JSON.parse", "/usr/local/lib/ruby/3.4.0/json/common.rb"],
    internal: ["Kernel#tap", "<internal:kernel>"],
    ours: ["Holdup::Instrumentation::Rack#call", "/srv/holdup/lib/holdup/agent/instrumentation/rack.rb"]
  }.freeze

  # @param names [Array<Symbol>] of frames, outermost first
  def named(*names)
    table = FRAMES.map { |_, (label, path)| Holdup::Capture::Frame.new(label:, path:, line: 1, at: 0) }
    nodes = names.each_with_index.flat_map { |name, depth| [depth, FRAMES.keys.index(name) + 1, 9] }
    found = Holdup::Capture::Stacks.new(table:, nodes:).running(names.size)
    FRAMES.key(FRAMES.values.find { |label, _| label == found.label })
  end

  def test_names_the_application_and_not_the_gem_that_it_called
    assert_equal :template, named(:main, :template, :records, :sqlite, :step)
    assert_equal :template, named(:main, :records, :template, :git)
    assert_equal :template, named(:template, :json, :internal)
  end

  def test_names_the_innermost_of_files_where_the_application_has_no_part
    assert_equal :sqlite, named(:records, :sqlite, :step)
    assert_equal :json, named(:json, :internal)
  end

  def test_names_no_code_of_ours_where_another_has_a_part
    assert_equal :template, named(:main, :template, :records, :ours)
    assert_equal :records, named(:records, :ours, :step)
    assert_equal :ours, named(:ours)
  end

  def test_a_template_is_its_file
    ["_app_views_orders__order_html_erb___1_2", "ActionView::Base#_app_views_orders__order_html_erb__12_3",
      "block in _app_views_orders__order_html_erb___1_2"].each do |label|
      frame = Holdup::Capture::Frame.new(label:, path: FRAMES[:template].last, line: 1, at: 7)
      assert_equal "app/views/orders/_order.html.erb", frame.method_name
      assert_equal "app/views/orders/_order.html.erb:7", frame.place
      assert_predicate frame, :named_by_place?
    end
    path = "/srv/shop/app/models/report.rb"
    method = Holdup::Capture::Frame.new(label: "Report#rows", path:, line: 1, at: 7)
    refute_predicate method, :named_by_place?
  end

  def test_names_code_in_c_where_no_file_has_a_part
    assert_equal :step, named(:step)
  end
end
