# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::Reader::FlameTest < Minitest::Test
  # Ticks are ns.
  Scene = Data.define { def ns(ticks) = ticks }

  def frame(label, path)
    Holdup::Capture::Frame.new(label:, path:, line: 3, at: 0)
  end

  def node(frame, ticks, *children)
    own_ticks = ticks - children.sum(&:ticks)
    tree = Holdup::Captures::Timeline::StackShares::FlameTree
    tree::FlameNode.new(frame:, ticks:, self: own_ticks, children:)
  end

  def library(label, ticks, *children)
    node(frame(label, "/gems/rack-3.1.0/lib/rack.rb"), ticks, *children)
  end

  def own(label, ticks, *children)
    node(frame(label, "/srv/shop/app/models/report.rb"), ticks, *children)
  end

  def block(root)
    Holdup::Captures::CapturePage::Flame.new(root, Scene.new, Holdup::View::Words.new("en")).block(title: "t",
      modes: {"held" => "h"}, mode: "held")
  end

  def tree
    crunch = own("Report#crunch", 800, library("Array#sort", 500), library("Hash#to_h", 200))
    rack = library("Rack::Head#call", 900, crunch, library("Rack::ETag#call", 99))
    node(nil, 1000, library("Puma::Server#run", 900, rack), node(nil, 99), library("GC.start", 1))
  end

  def test_boxes_are_as_wide_as_their_share_below_their_callers
    boxes = block(tree).boxes
    labels = [
      "Puma::Server#run … Rack::Head#call (2)",
      "Report#crunch",
      "Array#sort",
      "Hash#to_h",
      "Rack::ETag#call",
      "no stack"
    ]
    assert_equal labels, boxes.map(&:label)
    assert_equal [0.9, 0.8, 0.5, 0.2, 0.099, 0.099], boxes.map(&:width)
    assert_equal [0.0, 0.0, 0.0, 0.5, 0.8, 0.9], boxes.map(&:x)
    assert_equal [0, 1, 2, 2, 1, 0], boxes.map(&:row)
    assert_equal %w[other own other other other none], boxes.map(&:kind)
    assert_equal 3, block(tree).rows
  end

  def test_the_table_has_the_same_shares
    assert_equal ["2", "Report#crunch (app/models/report.rb:3): 800 ns (80.0 %)"], block(tree).twin.rows[1]
  end

  def test_nothing_has_no_boxes
    assert_equal [[], 0], block(node(nil, 0)).then { |empty| [empty.boxes, empty.rows] }
  end
end
