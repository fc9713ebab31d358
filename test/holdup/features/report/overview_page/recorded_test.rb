# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../browser/recorded"

# What the overview says of three recordings, with the figures that docs/guide/dashboard.md gives.
class Holdup::Report::OverviewPage::RecordedTest < Minitest::Test
  Blocks = Holdup::View::Blocks
  GUIDE = File.read(File.expand_path("../../../../../docs/guide/dashboard.md", __dir__))
  FOLDER = File.expand_path("../../../../fixtures", __dir__)

  # @yieldparam page [Holdup::Report::OverviewPage]
  def overview(name, span)
    recorded = Recorded.new(File.join(FOLDER, "#{name}.sqlite3.gz"))
    store = Holdup::Store.open(recorded.store, read_only: true)
    query = Holdup::Web::PageQuery.new({"since" => span}, now_s: recorded.now_s)
    words = Holdup::View::Words.new("en", page: true)
    yield Holdup::Report::OverviewPage.new(context: nil, store:, query:, words:)
  ensure
    store&.close
    recorded&.remove
  end

  def lead(page) = page.blocks.first.main.first.text

  def action(page) = page.blocks.first.side.first

  # @return [Array<Array<String>>] cells of the matrix beside the picture; none: there is no matrix
  def matrix(page)
    page.blocks[1].side.flat_map(&:rows).map { |row| row.map(&:to_s) }
  end

  def average(page) = page.blocks.first.main[1].title[/[\d.]+ ms\z/]

  def table(page) = page.blocks[2].rows.map { |row| row.map(&:to_s) }

  # @param figures [Array<String>]
  def assert_told(*figures)
    figures.each { |figure| assert_includes GUIDE, figure }
  end

  def test_under_load_it_names_who_makes_the_others_wait_and_the_line
    overview("storefront", "15m") do |page|
      assert_match(/\AReportsController#sales \(/, lead(page))
      assert_told(*lead(page).scan(/\d+\.\d %/).first(2), average(page).delete_suffix(" ms"))
      assert action(page).what.end_with?(": SalesReport#pair_counts, app/models/sales_report.rb:30.")
      assert_match(/\AMove it to a job/, action(page).text)
      assert_equal %w[Orders#index Feeds#show Exports#create], matrix(page).first(3).map(&:first)
      assert_told(*matrix(page).first(3).map { |cells| cells[1] }, table(page).first.last[/[\d.]+ ms/])
    end
  end

  def test_a_calm_shop_waits_for_io_and_repeats_a_query
    overview("calm", "6m") do |page|
      assert_match(/ mostly wait for io /, lead(page))
      assert_told(*lead(page).scan(/\d+\.\d %/))
      assert_match(/\AOrdersController#index makes the same query .*order\.rb:7 Order#total_cents\.\z/,
        action(page).what)
      assert_told(action(page).what[/[\d.]+ times/])
      assert_empty matrix(page)
    end
  end

  def test_a_starved_host_is_out_of_cpu_whatever_else_is_slow
    overview("starved", "6m") do |page|
      assert_match(/\AThis host is out of CPU: .* Other processes use [\d.]+ of 2 vCPUs\./, lead(page))
      assert_told(lead(page)[/\d+\.\d %/], lead(page)[/[\d.]+ of 2 vCPUs/], average(page))
      assert_match(/other processes of the same host or container/, action(page).what)
      assert_told(*matrix(page).first(2).map(&:last), table(page).first.last[/[\d.]+ ms/])
    end
  end
end
