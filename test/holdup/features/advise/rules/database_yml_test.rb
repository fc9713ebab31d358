# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::Rules::DatabaseYmlTest < Minitest::Test
  def change(*lines, size: 5, wanted: 8)
    Holdup::Advise::Rules::DatabaseRules::DatabaseYml.new(lines, size:).change(wanted)
  end

  def test_a_number_is_changed_where_it_stands
    found = change("default: &default", "  adapter: postgresql", "  pool: 5 # as many as threads")
    assert_equal ["config/database.yml:3", :restart], [found.where, found.how]
    assert_equal ["- pool: 5 # as many as threads", "+ pool: 8 # as many as threads"], found.diff
  end

  def test_the_number_of_a_variable_that_is_not_set
    ['max_connections: <%= ENV.fetch("RAILS_MAX_THREADS") { 5 } %>',
      'pool: <%= ENV["RAILS_MAX_THREADS"] || 5 %>', "pool: <%= ENV.fetch('RAILS_MAX_THREADS', 5) %>",
      'pool: "<%= ENV.fetch("RAILS_MAX_THREADS", "5").to_i %>"'].each do |line|
      found = change("  #{line}")
      assert_equal ["- #{line}", "+ #{line.sub("5", "8")}"], found.diff
      assert_equal [:restart_unless_set, {"variable" => "RAILS_MAX_THREADS"}], [found.how, found.facts]
    end
  end

  def test_a_variable_that_is_set_is_what_has_to_be_changed
    found = change('  pool: <%= ENV.fetch("DB_POOL_5") { 10 } %>')
    assert_equal ["ENV[DB_POOL_5]", ["- DB_POOL_5=5", "+ DB_POOL_5=8"]], [found.where, found.diff]
  end

  def test_what_is_computed_becomes_a_number
    line = 'max_connections: <%= ENV.fetch("THREADS", "4").to_i + 1 %>'
    assert_equal ["- #{line}", "+ max_connections: 8"], change(line).diff
    assert_equal ["- pool: <%= Etc.nprocessors * 5 %>", "+ pool: 8"],
      change("pool: <%= Etc.nprocessors * 5 %>").diff
  end

  def test_of_several_databases_the_one_of_that_size
    assert_equal "config/database.yml:2", change("  max_connections: 1", "  max_connections: 5").where
    assert_empty change("  pool: 1", "  pool: 2").diff, "nobody knows which"
  end

  def test_proposes_no_diff_without_a_line_to_change
    found = change
    assert_equal ["config/database.yml", nil, "max_connections: 8"],
      [found.where, found.old, found.new]
    assert_empty change("  pooling: 5", "  # pool: 5").diff
  end
end
